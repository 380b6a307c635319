"""The computer: files written completely or not at all, its cores and facts, and settings that make it faster."""
