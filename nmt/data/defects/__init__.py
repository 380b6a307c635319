"""Defects of sentence pairs, one class each. The data report counts the pairs with a defect, and filters drop them."""
