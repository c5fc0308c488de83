"""Vowpal Wabbit in a process of its own: it ends the process where it meets what it dislikes.

Reads slates from its standard input, learns from all of them, and prints as JSON what it read in
the labels, and what it would decide then.
"""

from __future__ import annotations

import json
import sys


def label_of(label):
    return [
        int(label.type),
        label.cost,
        label.slot_id,
        [[one.action, one.score] for one in label.probabilities],
    ]


def main():
    import vowpalwabbit as vw

    workspace = vw.Workspace("--slates --quiet")
    read = []
    for text in sys.stdin.read().split("\n\n"):
        lines = text.strip().splitlines()
        parsed = workspace.parse(lines, vw.LabelType.SLATES)
        read.append([label_of(vw.SlatesLabel.from_example(each)) for each in parsed])
        workspace.learn(parsed)
        workspace.finish_example(parsed)

    def unlabelled(line):
        head, _, features = line.partition("|")
        words = head.split()
        return f"{' '.join(words if words[1] == 'action' else words[:2])} |{features}"

    decided = workspace.predict([unlabelled(line) for line in lines])
    print(json.dumps({"read": read, "decided": decided}))


if __name__ == "__main__":
    main()
