"""Order candidates by a sum of signals, each of which can be explained."""
