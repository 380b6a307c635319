"""What can be wrong with a sentence pair: one class each. The data report counts them, and filters drop them."""
