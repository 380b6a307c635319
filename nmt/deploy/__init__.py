"""What carries a trained model elsewhere. It imports the core, and the core never imports it.

- export: a model in the formats of other programs, and the comparison of both
- documents: what of a text, an HTML page or a PO file is translated
- serve: a server with the interface of LibreTranslate, and its page
- cli: the programs
"""
