"""The campaign: data that tempt the program to claim too much, and a judge of its own.

Nothing here looks at how a claim was made. The judge knows the truth that made the labels, the answer's weights and the
word in front of them.
"""
