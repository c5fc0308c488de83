"""A file of one's own: what is wrong, in which line, and what is allowed."""

from __future__ import annotations

import re

import pytest
from small_experiment import TOML

from factored_bandits import lab
from factored_bandits.cli.template import TEMPLATE
from factored_bandits.errors import InvalidInputError

GOOD = TOML.format(horizon=100)


def test_the_template_is_a_good_experiment():
    spec = lab.parse(TEMPLATE.format(name="ads", file="ads.toml"))
    assert [instance.name for instance in spec.problems] == ["clear", "close"]
    assert sum(len(task.chunks) for task in lab.make_tasks(spec, "full")) >= 6
    bare = [line.removeprefix("# ") for line in TEMPLATE.splitlines()[1:]]
    every = "\n".join(line for line in bare if "unit =" not in line).format(
        name="ads", file="ads.toml"
    )
    assert lab.parse(every).full.policies == ("tea",)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "small"', 'name = "sm all"', "line 2: name must be of letters"),
        (
            'name = "small"',
            'name = "rank1"',
            "line 2: name must be of letters, digits and _, and none of rank1, ",
        ),
        ('"tea"', '"taa"', "line 3: policies no policy named 'taa'; did you mean 'tea'"),
        ('"tea"', '"tea(bound=low)"', "line 3: policies tea: bound must be"),
        ('["uniform", "tea", ', '[3, "tea", ', "line 3: policies must be a list of names"),
        ("seed = 3", "seed = -3", "line 4: seed must be a whole number, 0 or more, not -3"),
        ("seconds = 1e-6", "seconds = 0", "line 6: seconds must be a number above 0, not 0"),
        ("seed = 3", "sead = 3", "line 4: sead is no field here; there are name, title"),
        ("seed = 3", "seed = ", "Invalid value (at line 4"),
        ("levels = 2\n", "levels = 2.5\n", "line 11: problems.0.levels must be a whole number"),
        (
            "levels = 3\n",
            "lefels = 3\n",
            "line 15: problems.1.lefels is no field here; there are name, problem",
        ),
        (
            'problem = "additive"\nlevels = 3',
            'problem = "adative"\nlevels = 3',
            "line 14: problems.1.problem must be one",
        ),
        (
            'problem = "additive"\nlevels = 3',
            "levels = 3",
            "line 12: problems.1.problem or model is needed",
        ),
        ('name = "b"', 'name = "a"', "line 13: problems.1.name stands for two problems: 'a'"),
        (
            "horizon = 100",
            "horizon = 1.5",
            "quick.horizon must be a whole number, 1 or more, not 1.5",
        ),
        (
            "repetitions = 2",
            'repetitions = "2"',
            "quick.repetitions must be a whole number, 1 or more, not '2'",
        ),
        (
            "repetitions = 2",
            'repetitions = 2\nproblems = ["e"]',
            "quick.problems must be of a, b, not 'e'",
        ),
        ("[quick]", "[full]", "quick is missing"),
        (
            "seed = 3",
            'seed = 3\nunit = "average"',
            "line 5: unit must be 'reward', which is the unit of rank1",
        ),
    ],
)
def test_errors_name_line_field_and_what_is_allowed(old, new, complaint):
    assert old in GOOD
    with pytest.raises(InvalidInputError) as caught:
        lab.parse(GOOD.replace(old, new, 1), "small", "small.toml")
    assert str(caught.value).startswith("small.toml")
    assert complaint in str(caught.value)


def test_policies_that_can_play_nothing_are_refused():
    spec = lab.parse(GOOD.replace('"tea"', '"rucb"'))
    with pytest.raises(InvalidInputError, match="rucb plays duels"):
        lab.make_tasks(spec, "quick")


def test_duels_in_a_unit():
    text = re.sub("policies = .*", 'policies = ["*"]', GOOD).replace("seed = 3", 'unit = "weak"')
    text = (
        text[: text.index("[[problems]]")]
        + '[[problems]]\nproblem = "identical-gap"\narms = 4\n[quick]\nhorizon=9\n'
    )
    tasks = lab.make_tasks(lab.parse(text), "quick")
    assert {task.chunks[0].cell.problem.unit for task in tasks} == {"weak"}
    assert len({chunk.cell.policy.name for task in tasks for chunk in task.chunks}) > 15
    assert tasks[0].chunks[0].cell.instance.name == "identical_gap(arms=4)"
