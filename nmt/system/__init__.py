"""The computer: files written completely or not at all, cores and other facts, and settings that save time."""
