"""From a corpus to batches: loading, generating, tokenizing, planning."""
