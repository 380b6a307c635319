"""The report on one evaluation, as a page, as JSON and in TensorBoard."""
