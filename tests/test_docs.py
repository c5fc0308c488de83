"""What the pages say must be so.

Names exist, links lead somewhere, examples run and print what is shown.
The `>>>` examples are run by pytest itself, as doctests.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import numpy as np
import pytest

import factored_bandits as fb

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "factored_bandits"
MODULES = sorted(SOURCE.rglob("*.py"))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")),
]
# seconds; an example takes two or three, some more if it must be compiled first or others are busy
TIMEOUT = 300


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def fences(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def instances(language: str) -> list[object]:
    return [
        pytest.param(block, id=f"{relative(page)}:{number}")
        for page in PAGES
        for number, block in enumerate(fences(page, language), start=1)
    ]


def run(
    *command: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
    )


# Examples


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What each example printed, filled in as they are run."""
    return {}


def output(example: Path, printed: dict[str, str]) -> str:
    if example.name not in printed:
        done = run(str(example))
        assert done.returncode == 0, done.stderr
        printed[example.name] = done.stdout
    return printed[example.name]


@pytest.mark.xdist_group("examples")  # with the next, which needs what they printed
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_runs(example, printed):
    assert re.search(r"\d", output(example, printed)), "an example ends in numbers"


@pytest.mark.xdist_group("examples")
@pytest.mark.parametrize("block", instances("console"))
def test_output_shown_is_output_printed(block, printed):
    command, shown = block.split("\n", maxsplit=1)
    example = re.fullmatch(r"\$ python examples/(\w+\.py)", command)
    assert example, f"only examples are shown with their output, not {command!r}"
    assert output(ROOT / "examples" / example[1], printed) == shown


@pytest.mark.parametrize("block", instances("python"))
def test_code_shown_is_an_example(block):
    assert block in [example.read_text(encoding="utf-8") for example in EXAMPLES]


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(line, id=line.removeprefix("factored-bandits ")[:40])
        for page in PAGES
        for block in fences(page, "sh")
        for line in block.splitlines()
        if line.startswith("factored-bandits ")
    ],
)
def test_command_shown_works(command, tmp_path):
    words = shlex.split(command)[1:]
    done = run("-m", "factored_bandits.cli", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    if "--plot" in words:
        assert (tmp_path / words[words.index("--plot") + 1]).stat().st_size > 1000


def load_example(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_policy_of_the_guide_keeps_the_contract(monkeypatch):
    """Compiled and interpreted agree, the parameter arrives, and an agent can be saved."""
    policy = load_example("epsilon_greedy")
    problem = fb.environments.spiked(levels=3, best=0.81, gap=0.5)
    compiled = fb.simulate(policy, problem, horizon=500, repetitions=3, seed=2, progress=False)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    interpreted = fb.simulate(policy, problem, horizon=500, repetitions=3, seed=2, progress=False)
    assert np.array_equal(compiled.regret, interpreted.regret)
    assert all(np.array_equal(a, b) for a, b in zip(compiled.plays, interpreted.plays, strict=True))

    always_random = fb.policies.make(policy, epsilon=1.0)
    assert always_random.label == "epsilon_greedy(epsilon=1.0)"
    plays = fb.simulate(
        always_random, problem, horizon=3000, repetitions=1, seed=2, progress=False
    ).plays[0][0]
    assert np.abs(plays - 1000).max() < 4 * np.sqrt(3000 * 2 / 9)

    agent = fb.Agent(policy, factors={"colour": ["red", "blue"]}, seed=4)
    for _ in range(30):
        decision = agent.ask()
        agent.tell(decision.id, float(decision.levels["colour"] == "blue"))
    assert agent.best() == {"colour": "blue"}
    assert fb.Agent.load(agent.dump(), policy).ask() == agent.ask()


def test_the_checks_of_the_guides_pass():
    """What docs/how-to/own-policy.md and own-environment.md tell the reader to run."""
    from factored_bandits.testing import check_environment, check_policy

    for name in ("epsilon_greedy", "hundred_tries"):
        check_policy(load_example(name), quick=True)
    check_environment(load_example("day_and_night").make([[0.9, 0.5, 0.5], [0.95, 0.5]]))


def test_the_environment_of_the_guide_changes_with_the_hour(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # not worth compiling
    problem = load_example("day_and_night").make([[0.9, 0.5], [0.8, 0.4]], day=100.0)
    module, noon, midnight = problem.module, 100, 50
    best, worst = np.array(problem.best), np.array([1, 1])
    assert module.mean(problem.data, noon, best) == pytest.approx(0.72)
    assert module.mean(problem.data, midnight, best) == pytest.approx(0.072)
    assert module.regret(problem.data, noon, worst) == pytest.approx(0.72 - 0.2)
    assert module.regret(problem.data, midnight, worst) == pytest.approx(0.1 * (0.72 - 0.2))
    rng = np.random.default_rng(3)
    rewards = [module.sample(problem.data, noon, worst, rng) for _ in range(2000)]
    assert abs(np.mean(rewards) - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 2000)
    played = fb.simulate("uniform", problem, horizon=100, repetitions=200, seed=1, progress=False)
    expected = 100 * 0.55 * (0.72 - 0.7 * 0.6)  # the light averages 0.55 over a day
    assert abs(played.regret[:, -1].mean() - expected) < 4 * played.summary().standard_error


# The map from the paper to the code


def defined(path: Path) -> set[str]:
    """Functions, classes and constants of a module."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else []
        names.update(target.id for target in targets if isinstance(target, ast.Name))
    return names


NAMED = sorted(
    {
        (file, name)
        for page in PAGES
        for file, name in re.findall(r"`([\w/]+\.py):(\w+)`", page.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize(("file", "name"), NAMED, ids=lambda part: part)
def test_named_function_exists(file, name):
    assert (SOURCE / file).is_file()
    assert name in defined(SOURCE / file)


PAPER_LINES = {
    1: set(range(1, 13)),
    2: set(range(1, 11)),
    3: set(range(1, 36)) - {4, 18, 27},
}  # these three are blank


@pytest.mark.parametrize("algorithm", PAPER_LINES)
def test_every_line_of_the_paper_is_on_the_map(algorithm):
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    section = re.search(rf"^## Algorithm {algorithm}:.*?(?=^## )", text, re.DOTALL | re.MULTILINE)[
        0
    ]
    rows = re.findall(r"^\| ([\d ,-]+)[^|]*\| [^|]*`[\w/]+\.py:\w+`", section, re.MULTILINE)
    covered = set()
    for row in rows:
        for part in row.replace(" ", "").strip(",").split(","):
            first, _, last = part.partition("-")
            covered |= set(range(int(first), int(last or first) + 1))
    assert covered == PAPER_LINES[algorithm]


def test_equations_and_theorems_are_on_the_map():
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    for item in (
        "Definition 1",
        "equation (1)",
        "equation (2)",
        "equation (3)",
        "Theorem 1",
        "Theorem 2",
        "Theorem 3",
    ):
        assert item in text


# Links


def headings(page: Path) -> set[str]:
    """The anchors that a reader of the page can jump to."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        target, _, anchor = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in headings(file), f"{link}: no such heading"


def test_every_page_is_in_the_index():
    index = ROOT / "docs" / "README.md"
    linked = {
        (index.parent / link).resolve()
        for link in re.findall(r"\]\(([^)#]+)", index.read_text(encoding="utf-8"))
    }
    missing = [
        relative(page)
        for page in PAGES
        if page.is_relative_to(index.parent) and page not in {index, *linked}
    ]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_lists_are_lists_on_the_site(page):
    """A list right below a line of text is one paragraph there; it needs an empty line."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.S)
    assert re.findall(r"^(?![-|\s\d]).+\n- .*", text, re.MULTILINE) == []


def test_pages_name_no_machine():
    """No path of the machine on which a page was written."""
    for page in [*PAGES, *EXAMPLES]:
        assert not re.search(
            r"(?<![\w.])/(?:root|home|work|usr)/", page.read_text(encoding="utf-8")
        ), relative(page)


# Public names and docstrings


def test_public_names_are_sorted_complete_and_lazy():
    def isort_key(name: str) -> tuple[bool, bool, str]:
        return not name.isupper(), not name[0].isupper(), name

    assert fb.__all__ == sorted(fb.__all__, key=isort_key)
    lazy = {**fb._MODULES, **fb._MEMBERS}
    assert set(fb.__all__) == {*lazy, "__version__"}
    assert len(lazy) == len(fb._MODULES) + len(fb._MEMBERS)
    assert dir(fb) == sorted(fb.__all__)
    for name in fb.__all__:
        assert getattr(fb, name) is not None
    typed = next(
        node
        for node in ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    )
    told_to_type_checkers = {alias.name for line in typed.body for alias in line.names}
    assert told_to_type_checkers == set(lazy)


REFERENCE = sorted((ROOT / "docs" / "reference" / "api").glob("*.md"))


def directives() -> list[str]:
    """What the pages of the reference are generated from: `::: factored_bandits.simulate`."""
    return [
        name
        for page in REFERENCE
        for name in re.findall(
            r"^::: factored_bandits\.(\S+)$", page.read_text("utf-8"), re.MULTILINE
        )
    ]


def resolved(path: str) -> object:
    """The object that a directive names, by attribute or by import."""
    found: object = fb
    for depth, part in enumerate(path.split("."), start=1):
        if not hasattr(found, part):
            importlib.import_module(f"factored_bandits.{'.'.join(path.split('.')[:depth])}")
        found = getattr(found, part)
    return found


def exists(path: str) -> bool:
    try:
        resolved(path)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("path", directives())
def test_the_reference_names_what_exists(path):
    assert exists(path)


def test_the_reference_names_everything_once():
    assert sorted(directives()) == sorted(set(directives()))


PUBLIC = (
    "agent",
    "environments",
    "environments.suites",
    "errors",
    "lab",
    "planning",
    "policies",
    "report.plot",
    "testing",
    "theory",
)


@pytest.mark.parametrize("package", ["", *PUBLIC])
def test_public_names_are_in_the_reference(package):
    module = importlib.import_module(f"factored_bandits.{package}") if package else fb
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__
    ]
    paths = [path for path in directives() if exists(path)]
    covered = [resolved(path) for path in paths]
    areas = {path.rpartition(".")[0] for path in paths}  # packages whose parts are listed
    assert names
    for name in names:
        if name == "__version__":
            continue
        value = getattr(module, name)
        listed = any(value is one for one in covered)
        if isinstance(value, types.ModuleType):
            listed = name in areas
        assert listed, f"{module.__name__}.{name} is in no page of docs/reference/api"
        assert value.__doc__, f"{module.__name__}.{name} has no docstring"


def test_results_are_in_the_reference():
    """What public functions return, though nobody imports its type by name."""
    from factored_bandits.inference.certificate import Certificate
    from factored_bandits.simulation.benchmark import Benchmark
    from factored_bandits.simulation.compare import Comparison
    from factored_bandits.simulation.result import Result

    covered = [resolved(path) for path in directives() if exists(path)]
    for kind in (Result, Comparison, Benchmark, Certificate):
        assert kind in covered


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_every_module_says_what_it_is(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring
    assert docstring.split("\n\n")[0].strip().endswith((".", ":", "?")), (
        "the first paragraph is a sentence"
    )


def test_version_and_licence_agree_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {fb.__version__}\n" in citation
    assert f"\nlicense: {project['license']['text']}\n" in citation
    assert (
        (ROOT / "LICENSE")
        .read_text(encoding="utf-8")
        .startswith(f"{project['license']['text']} License")
    )
    assert fb.__version__ in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
