"""The claims that tutorials make about attention, each measured by small trainings with several seeds."""
