"""The laboratory: tools that examine trained models. It imports the core, and the core never imports it.

- attention: attention maps as pictures, as a page, in the terminal, and in figures
- trace: one step of a model, with all numbers of its attention
- alignment: word alignments from attention, their agreement with alignments made by people, and a corpus of these
- heads: the role of each attention head, and the score that is lost without it
- compare: finished runs side by side, with tests of significance
- report: one evaluation as a page: scores by length and rarity, faults, examples
- corpus: the data report: lengths, defects, and held-out pairs that are in the training data
- claims, tasks: claims of tutorials about attention, measured on small generated languages
- callbacks: callbacks that draw, watch and report during a training
- cli: the programs of the laboratory; templates and html: its pages
"""
