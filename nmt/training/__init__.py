"""Training with Lightning: the module, its loss and schedules, callbacks, and the run that puts them together."""
