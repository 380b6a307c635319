"""The laboratory: what looks at models that the core has made. It imports the core, and the core never imports it.

- attention: attention maps as pictures, as a page, in the terminal, as an animation, and in figures
- trace: one step of a model, with all numbers of its attention
- alignment: word alignments from attention, and how they agree with those made by people
- heads: what each attention head does, and what is lost without it
- compare: finished runs side by side, with tests of significance
- report: one evaluation as a page: scores by length and rarity, faults, examples
- corpus: the data report: lengths, defects, and held-out pairs that training has
- claims, tasks: what tutorials claim about attention, measured on small generated languages
- sources: texts of programs, and the New Testament with word alignments
- callbacks: what draws, watches and reports during a training
- cli: the programs of the laboratory; templates and html: its pages
"""
