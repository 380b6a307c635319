"""What brings a trained model to other programs and to users. It imports the core, and the core never imports it.

- export: a model in the formats of other programs, and the comparison with its checkpoint
- documents: which parts of a page, a subtitle file and the like are translated
- serve: a server with the interface of LibreTranslate, and its page
- cli: the programs, also share.py, which copies a model to give it away
"""
