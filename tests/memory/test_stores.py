"""Finding every store on a machine, and the one of the current directory. All trees invented."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.memory.document import Scope
from memtui.memory.probe import folders_in, identity, is_folder, read_beginning
from memtui.memory.slugs import (
    claude_slug,
    is_claude_slug,
    is_qwen_slug,
    plain_slug,
    qwen_slug,
    recorded_directories,
    with_ancestors,
)
from memtui.memory.stores import Discovery, Store, discover, here, newest_ms, summarise
from memtui.memory.worktrees import git_root, linked_worktrees, main_root, spellings
from tests.helpers import DAY_MS, NOW_MS, write_file, write_memory

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


class Machine:
    """A home with a project ``code/app``, and a search that starts in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.project = self.home / "code" / "app"
        self.project.mkdir(parents=True)
        self.cwd = self.project
        self.environ: dict[str, str] = {}

    def find(self, agent: str | None = None, *extra_roots: str) -> Discovery:
        return discover(
            home=self.home,
            cwd=self.cwd,
            environ=self.environ,
            agent=agent,
            extra_roots=extra_roots,
        )

    def claude(self, directory: Path | str, *, config: Path | None = None) -> Path:
        projects = (config or self.home / ".claude") / "projects"
        return projects / claude_slug(str(directory)) / "memory"

    def qwen(self, directory: Path | str, *, base: Path | None = None) -> Path:
        return (base or self.home / ".qwen") / "projects" / qwen_slug(str(directory)) / "memory"

    def session(self, memory: Path, cwd: Path | str, *, below: str = "") -> None:
        folder = memory.parent / below
        folder.mkdir(parents=True, exist_ok=True)
        lines = [{"type": "summary"}, {"type": "user", "cwd": str(cwd), "message": {}}]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "0a1b.jsonl").write_text(text, "utf-8")

    def repository(self, path: Path) -> Path:
        (path / ".git").mkdir(parents=True, exist_ok=True)
        return path

    def worktree(self, main: Path, path: Path) -> Path:
        path.mkdir(parents=True)
        folder = main / ".git" / "worktrees" / path.name
        folder.mkdir(parents=True)
        (folder / "commondir").write_text("../..\n")
        (folder / "gitdir").write_text(f"{path / '.git'}\n")
        (path / ".git").write_text(f"gitdir: {folder}\n")
        return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(Path(os.path.realpath(tmp_path)))


@pytest.fixture
def untouched(machine: Machine) -> Iterator[None]:
    """What was set up before this fixture stays as it is: bytes, times and listings."""
    before = state_of(machine.root)
    yield
    assert state_of(machine.root) == before


def state_of(root: Path) -> dict[str, object]:
    """Every entry below a folder: what it is, its time, and its bytes or names."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(root):
        for name in [".", *folders, *files]:
            path = Path(folder, name)
            status = path.lstat()
            held: object = sorted(os.listdir(path)) if name == "." else None
            if path.is_symlink():
                held = os.readlink(path)
            elif path.is_file() and os.access(path, os.R_OK):
                held = path.read_bytes()
            found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, held)
    return found


def roots(discovery: Discovery, *, here_only: bool = False) -> list[str]:
    return [each.root for each in discovery.stores if each.here or not here_only]


def only(discovery: Discovery) -> Store:
    (store,) = discovery.stores
    return store


# -- slugs ----------------------------------------------------------------------------------------


def test_every_character_that_is_no_ascii_letter_or_digit_becomes_a_dash() -> None:
    assert plain_slug("/home/ann/my_app.v2 (é)") == "-home-ann-my-app-v2----"
    assert claude_slug("/a-b/c") == qwen_slug("/a-b/c") == "-a-b-c"


def test_a_character_outside_the_basic_plane_is_two_dashes_as_in_javascript() -> None:
    assert plain_slug("/a🚀b") == "-a--b"


def test_a_slug_of_200_chars_is_whole_and_a_longer_one_ends_in_a_hash() -> None:
    assert claude_slug("/" + "a" * 199) == "-" + "a" * 199
    assert claude_slug("/" + "a" * 250) == "-" + "a" * 199 + "-feo44x"


def test_a_cut_slug_matches_by_its_first_200_chars_whatever_hash_follows() -> None:
    path = "/" + "a" * 250
    assert is_claude_slug(claude_slug(path), path)
    assert is_claude_slug("-" + "a" * 199 + "-lni537xdrusg", path)
    assert not is_claude_slug("-" + "a" * 199 + "-not-a-hash", path)
    assert not is_claude_slug("-" + "a" * 199, path)
    assert not is_claude_slug("-" + "b" * 199 + "-feo44x", path)


def test_qwen_never_cuts_a_slug() -> None:
    path = "/" + "a" * 250
    assert qwen_slug(path) == "-" + "a" * 250
    assert is_qwen_slug("-" + "a" * 250, path)


def test_recorded_directories_are_found_in_lines_cut_by_the_reading_limit(tmp_path: Path) -> None:
    line = json.dumps({"cwd": '/a "b"', "message": "x" * 100_000})
    (tmp_path / "s.jsonl").write_text(line)
    assert recorded_directories(str(tmp_path)) == ('/a "b"',)


def test_a_working_directory_quoted_in_a_message_is_not_taken_for_a_recorded_one(
    tmp_path: Path,
) -> None:
    line = json.dumps({"message": json.dumps({"cwd": "/quoted"}), "cwd": "/real"})
    (tmp_path / "s.jsonl").write_text(line)
    assert recorded_directories(str(tmp_path)) == ("/real",)


def test_a_relative_recorded_directory_and_a_missing_folder_give_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"cwd": "relative"}\n{"cwd": "\\u0000/x"}\n{"cwd": "\\q"}')
    assert recorded_directories(str(tmp_path)) == ()
    assert recorded_directories(str(tmp_path / "missing")) == ()


def test_ancestors_follow_each_path_once() -> None:
    assert with_ancestors(["/a/b", "/a/c"]) == ("/a/b", "/a", "/", "/a/c")


# -- git ------------------------------------------------------------------------------------------


def test_the_git_root_is_the_nearest_folder_with_a_git_entry(machine: Machine) -> None:
    inner = machine.project / "src" / "deep"
    inner.mkdir(parents=True)
    assert git_root(str(inner)) is None
    machine.repository(machine.project)
    assert git_root(str(inner)) == str(machine.project)


def test_a_linked_worktree_leads_to_its_main_root_and_back(machine: Machine) -> None:
    machine.repository(machine.project)
    linked = machine.worktree(machine.project, machine.home / "code" / "app-fix")
    assert main_root(str(linked)) == str(machine.project)
    assert linked_worktrees(str(machine.project)) == (str(linked),)
    assert main_root(str(machine.project)) == str(machine.project)


def test_a_submodule_is_its_own_root(machine: Machine) -> None:
    module = machine.project / "lib"
    folder = machine.repository(machine.project) / ".git" / "modules" / "lib"
    folder.mkdir(parents=True)
    module.mkdir()
    (module / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert main_root(str(module)) == str(module)


def test_a_git_file_that_its_repository_does_not_know_is_not_followed(machine: Machine) -> None:
    machine.repository(machine.project)
    linked = machine.worktree(machine.project, machine.home / "linked")
    stranger = machine.home / "stranger"
    stranger.mkdir()
    (stranger / ".git").write_bytes((linked / ".git").read_bytes())
    assert main_root(str(stranger)) == str(stranger)


def test_the_worktrees_of_a_bare_repository_belong_to_its_folder(machine: Machine) -> None:
    bare = machine.home / "app.git"
    folder = bare / "worktrees" / "one"
    folder.mkdir(parents=True)
    (folder / "commondir").write_text("../..\n")
    linked = machine.home / "one"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {folder}")
    assert main_root(str(linked)) == str(bare)


@pytest.mark.parametrize("content", [b"", b"gitdir:", b"\xff\xfe", b"gitdir: /no/where\n", b"\0"])
def test_a_broken_git_file_makes_a_root_of_its_own(machine: Machine, content: bytes) -> None:
    write_file(machine.project, ".git", content)
    assert main_root(str(machine.project)) == str(machine.project)


def test_pwd_counts_only_while_it_leads_to_the_same_directory(machine: Machine) -> None:
    link = machine.home / "link"
    link.symlink_to(machine.project)
    assert spellings(str(machine.project), str(link)) == (str(link), str(machine.project))
    assert spellings(str(machine.project), str(machine.home)) == (str(machine.project),)
    assert spellings(str(machine.project), "relative") == (str(machine.project),)
    assert spellings(str(machine.project), None) == (str(machine.project),)


# -- looking --------------------------------------------------------------------------------------


def test_looking_never_raises_and_never_waits(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert read_beginning(str(pipe), 10) is None
    assert read_beginning(str(tmp_path), 10) is None
    assert read_beginning("\0", 10) is None
    assert not is_folder("\0")
    assert identity(str(tmp_path / "missing")) == str(tmp_path / "missing")
    assert folders_in(str(pipe)) == ((), False)


@pytest.mark.skipif(AS_ROOT, reason="root may list every folder")
def test_a_folder_that_can_not_be_listed_is_failed_and_not_empty(machine: Machine) -> None:
    projects = machine.home / ".claude" / "projects"
    projects.mkdir(parents=True)
    projects.chmod(0)
    try:
        found = machine.find()
    finally:
        projects.chmod(0o755)
    assert found.unlisted == (str(projects),)
    assert found.stores == ()


def test_a_folder_that_can_not_be_listed_is_told(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    projects = machine.home / ".claude" / "projects"
    memory = machine.claude(machine.project)
    write_memory(memory, "a.md")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path) == str(projects):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = machine.find("claude")
    assert found.unlisted == (str(projects),)
    assert roots(found) == [str(memory)], "the expected folder is looked at by its name"


# -- Claude Code ----------------------------------------------------------------------------------


def test_the_auto_memory_of_the_current_directory_is_found(machine: Machine) -> None:
    memory = machine.claude(machine.project)
    write_memory(memory, "a.md")
    store = only(machine.find())
    assert store == Store(
        "claude", Scope.PROJECT, str(memory), str(machine.project), True, "claude", "auto-memory"
    )


def test_in_a_repository_the_memory_of_its_root_is_found_from_below(machine: Machine) -> None:
    machine.repository(machine.project)
    memory = machine.claude(machine.project)
    write_memory(memory, "a.md")
    machine.cwd = machine.project / "src"
    machine.cwd.mkdir()
    store = only(machine.find())
    assert (store.root, store.project, store.here) == (str(memory), str(machine.project), True)


def test_outside_a_repository_the_memory_of_a_folder_above_is_another_projects(
    machine: Machine,
) -> None:
    write_memory(machine.claude(machine.project), "a.md")
    machine.cwd = machine.project / "src"
    machine.cwd.mkdir()
    store = only(machine.find())
    assert (store.project, store.here) == (str(machine.project), False)


def test_a_worktree_finds_the_memory_of_its_main_root_before_its_own(machine: Machine) -> None:
    machine.repository(machine.project)
    linked = machine.worktree(machine.project, machine.home / "wt")
    own, main = machine.claude(linked), machine.claude(machine.project)
    write_memory(own, "a.md")
    write_memory(main, "a.md")
    machine.cwd = linked
    assert roots(machine.find(), here_only=True) == [str(main), str(own)]
    assert here(machine.find()).stores[0].root == str(main)


def test_a_worktrees_memory_is_not_here_in_the_main_root_but_its_project_is_known(
    machine: Machine,
) -> None:
    machine.repository(machine.project)
    linked = machine.worktree(machine.project, machine.home / "wt")
    write_memory(machine.claude(linked), "a.md")
    store = only(machine.find())
    assert (store.project, store.here) == (str(linked), False)


@pytest.mark.parametrize("by", ["logical", "physical"])
def test_a_linked_directory_finds_its_store_by_either_path(machine: Machine, by: str) -> None:
    link = machine.home / "link"
    link.symlink_to(machine.project)
    named = link if by == "logical" else machine.project
    memory = machine.claude(named)
    write_memory(memory, "a.md")
    machine.environ["PWD"] = str(link)
    store = only(machine.find())
    assert (store.root, store.here, store.project) == (str(memory), True, str(named))


def test_the_current_directory_given_as_a_link_finds_the_physical_store(machine: Machine) -> None:
    link = machine.home / "link"
    link.symlink_to(machine.project)
    memory = machine.claude(machine.project)
    write_memory(memory, "a.md")
    machine.cwd = link
    assert roots(machine.find(), here_only=True) == [str(memory)]


def test_one_store_reached_by_two_paths_is_listed_once(machine: Machine) -> None:
    machine.repository(machine.project)
    inside = machine.project / ".claude" / "memory"
    write_memory(inside, "a.md")
    by_slug = machine.claude(machine.project)
    by_slug.parent.mkdir(parents=True)
    by_slug.symlink_to(inside)
    store = only(machine.find(None, str(inside)))
    assert store.root == str(by_slug)
    assert len(here(machine.find()).sources) == 1


def test_what_a_second_path_proves_is_kept(machine: Machine) -> None:
    unknown = machine.home / ".claude" / "projects" / "-gone" / "memory"
    write_memory(unknown, "a.md")
    (machine.project / ".claude").mkdir()
    (machine.project / ".claude" / "memory").symlink_to(unknown)
    store = only(machine.find())
    assert (store.project, store.here) == (str(machine.project), True)


def test_a_config_directory_replaces_the_one_in_the_home(machine: Machine) -> None:
    config = machine.root / "config"
    write_memory(machine.claude(machine.project), "a.md")
    write_memory(machine.claude(machine.project, config=config), "a.md")
    machine.environ["CLAUDE_CONFIG_DIR"] = str(config)
    assert only(machine.find()).root == str(machine.claude(machine.project, config=config))
    machine.environ["CLAUDE_CONFIG_DIR"] = ""
    assert only(machine.find()).root == str(machine.claude(machine.project))


def test_a_slug_is_resolved_by_the_directory_that_its_sessions_name(machine: Machine) -> None:
    other = machine.home / "other.project"
    other.mkdir()
    memory = machine.claude(other)
    write_memory(memory, "a.md")
    assert only(machine.find()).project is None
    machine.session(memory, other)
    store = only(machine.find())
    assert (store.project, store.here) == (str(other), False)


def test_a_session_that_moved_to_a_subfolder_still_proves_the_project(machine: Machine) -> None:
    other = machine.home / "other"
    (other / "src").mkdir(parents=True)
    memory = machine.claude(other)
    write_memory(memory, "a.md")
    machine.session(memory, other / "src")
    assert only(machine.find()).project == str(other)


def test_a_session_in_a_worktree_proves_the_main_root(machine: Machine) -> None:
    other = machine.repository(machine.home / "other")
    linked = machine.worktree(other, machine.home / "other-fix")
    write_memory(machine.claude(other), "a.md")
    machine.session(machine.claude(linked), linked)
    assert only(machine.find()).project == str(other)


def test_a_slug_is_never_guessed(machine: Machine) -> None:
    other = machine.home / "other"
    other.mkdir()
    memory = machine.claude(other)
    write_memory(memory, "a.md")
    machine.session(memory, machine.home / "somewhere-else")
    store = only(machine.find())
    assert (store.project, store.here) == (None, False)


def test_a_recorded_directory_that_is_gone_proves_nothing(machine: Machine) -> None:
    gone = machine.home / "gone"
    memory = machine.claude(gone)
    write_memory(memory, "a.md")
    machine.session(memory, gone)
    assert only(machine.find()).project is None


def test_two_directories_that_make_one_slug_prove_nothing(machine: Machine) -> None:
    one, two = machine.home / "x" / "y", machine.home / "x-y"
    one.mkdir(parents=True)
    two.mkdir()
    memory = machine.claude(one)
    assert memory == machine.claude(two)
    write_memory(memory, "a.md")
    for number, directory in enumerate((one, two)):
        machine.session(machine.home / ".claude" / "projects" / f"s{number}" / "memory", directory)
    assert only(machine.find()).project is None


def test_a_store_that_two_projects_share_is_here_in_each(machine: Machine) -> None:
    one, two = machine.home / "x" / "y", machine.home / "x-y"
    one.mkdir(parents=True)
    two.mkdir()
    memory = machine.claude(one)
    write_memory(memory, "a.md")
    machine.session(memory, one)
    machine.cwd = two
    assert only(machine.find()).here
    machine.cwd = one
    assert only(machine.find()).here


def test_a_long_path_finds_its_store_whatever_hash_was_used(machine: Machine) -> None:
    deep = machine.home.joinpath(*["d" * 40] * 6)
    deep.mkdir(parents=True)
    name = claude_slug(str(deep))[:200] + "-lni537xdrusg"
    memory = machine.home / ".claude" / "projects" / name / "memory"
    write_memory(memory, "a.md")
    machine.cwd = deep
    store = only(machine.find())
    assert (store.root, store.project, store.here) == (str(memory), str(deep), True)


def test_a_cut_slug_that_its_sessions_give_to_another_project_is_not_here(
    machine: Machine,
) -> None:
    above = machine.home.joinpath(*["d" * 40] * 6)
    mine, others = above / "mine", above / "others"
    mine.mkdir(parents=True)
    others.mkdir()
    memory = machine.claude(others)
    write_memory(memory, "a.md")
    machine.session(memory, others)
    machine.cwd = mine
    store = only(machine.find())
    assert (store.project, store.here) == (str(others), False)


def test_sub_agents_memories_are_found_for_the_user_and_the_project(machine: Machine) -> None:
    folders = {
        machine.home / ".claude" / "agent-memory" / "reviewer": (Scope.USER, None, False),
        machine.project / ".claude" / "agent-memory" / "tester": (Scope.PROJECT, True, True),
        machine.project / ".claude" / "agent-memory-local" / "tester": (Scope.PROJECT, True, True),
    }
    for folder in folders:
        write_memory(folder, "a.md")
    found = {each.root: each for each in machine.find().stores}
    assert set(found) == {str(folder) for folder in folders}
    for folder, (scope, project, is_here) in folders.items():
        store = found[str(folder)]
        assert (store.kind, store.scope, store.here) == ("agent-memory", scope, is_here)
        assert store.project == (str(machine.project) if project else None)


def test_in_the_home_itself_the_users_folder_is_not_taken_for_a_projects(machine: Machine) -> None:
    write_memory(machine.home / ".claude" / "agent-memory" / "reviewer", "a.md")
    machine.cwd = machine.home
    store = only(machine.find())
    assert (store.scope, store.project) == (Scope.USER, None)


def test_what_other_projects_keep_inside_themselves_is_found(machine: Machine) -> None:
    other = machine.home / "other"
    inside = [
        other / ".claude" / "memory",
        other / ".claude" / "agent-memory" / "tester",
        other / ".qwen" / "memory",
        other / ".qwen" / "team-memory",
    ]
    for folder in inside:
        write_memory(folder, "a.md")
    machine.session(machine.claude(other), other)
    found = machine.find()
    assert set(roots(found)) == {str(folder) for folder in inside}
    assert {each.project for each in found.stores} == {str(other)}
    assert not any(each.here for each in found.stores)


# -- autoMemoryDirectory --------------------------------------------------------------------------


def settings(folder: Path, name: str, value: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({"autoMemoryDirectory": value}))


def test_the_users_setting_puts_the_memory_of_every_project_elsewhere(machine: Machine) -> None:
    write_memory(machine.home / "notes", "a.md")
    write_memory(machine.claude(machine.project), "a.md")
    settings(machine.home / ".claude", "settings.json", "~/notes")
    found = machine.find()
    first, second = found.stores
    assert (first.root, first.project, first.here) == (str(machine.home / "notes"), None, True)
    assert (second.root, second.here) == (str(machine.claude(machine.project)), False)


def test_the_local_setting_beats_the_projects_and_the_projects_the_users(machine: Machine) -> None:
    for name in ("local", "project", "user"):
        write_memory(machine.root / name, "a.md")
    settings(machine.home / ".claude", "settings.json", str(machine.root / "user"))
    settings(machine.project / ".claude", "settings.json", str(machine.root / "project"))
    assert here(machine.find()).stores[0].root == str(machine.root / "project")
    settings(machine.project / ".claude", "settings.local.json", str(machine.root / "local"))
    assert here(machine.find()).stores[0].root == str(machine.root / "local")
    assert roots(machine.find(), here_only=True) == [str(machine.root / "local")]


@pytest.mark.parametrize("value", ["notes", "./notes", "~", "~/", "~/..", "~/../x", "", 7, None])
def test_a_setting_that_the_agent_ignores_is_ignored(machine: Machine, value: object) -> None:
    write_memory(machine.home / "notes", "a.md")
    write_memory(machine.project / "notes", "a.md")
    settings(machine.project / ".claude", "settings.json", value)
    assert machine.find().stores == ()


def test_a_configured_folder_that_is_not_there_hides_nothing(machine: Machine) -> None:
    write_memory(machine.claude(machine.project), "a.md")
    settings(machine.home / ".claude", "settings.json", "~/not-yet")
    found = machine.find()
    assert only(found).here
    assert str(machine.home / "not-yet") in found.looked_at


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"advanced": 3}', b"[" * 100_000])
def test_broken_settings_change_nothing(machine: Machine, content: bytes) -> None:
    write_memory(machine.claude(machine.project), "a.md")
    write_file(machine.project, ".claude/settings.json", content)
    write_file(machine.home, ".claude/settings.json", content)
    write_file(machine.home, ".qwen/settings.json", content)
    assert only(machine.find()).here


def test_another_projects_setting_is_followed(machine: Machine) -> None:
    other = machine.home / "other"
    other.mkdir()
    machine.session(machine.claude(other), other)
    write_memory(machine.home / "their-notes", "a.md")
    settings(other / ".claude", "settings.local.json", "~/their-notes")
    store = only(machine.find())
    assert (store.root, store.project) == (str(machine.home / "their-notes"), str(other))


# -- Qwen Code ------------------------------------------------------------------------------------


def test_qwens_four_stores_are_found(machine: Machine) -> None:
    machine.repository(machine.project)
    expected = {
        machine.qwen(machine.project): (Scope.PROJECT, "auto-memory"),
        machine.project / ".qwen" / "memory": (Scope.PROJECT, "local-memory"),
        machine.project / ".qwen" / "team-memory": (Scope.TEAM, "team-memory"),
        machine.home / ".qwen" / "memories": (Scope.USER, "user-memory"),
    }
    for folder in expected:
        write_memory(folder, "a.md")
    found = machine.find()
    assert {each.root: (each.scope, each.kind) for each in found.stores} == {
        str(folder): value for folder, value in expected.items()
    }
    assert {(each.here, each.dialect) for each in found.stores} == {(True, "qwen")}
    chosen = here(found)
    assert [each.scope for each in chosen.sources] == [Scope.PROJECT, Scope.USER, Scope.TEAM]
    assert chosen.sources[0].root == str(machine.qwen(machine.project))
    assert not any(each.typed for each in chosen.sources)


def test_a_worktree_has_its_own_qwen_memory_and_the_main_roots_comes_next(
    machine: Machine,
) -> None:
    machine.repository(machine.project)
    linked = machine.worktree(machine.project, machine.home / "wt")
    main = machine.qwen(machine.project)
    write_memory(main, "a.md")
    machine.cwd = linked
    assert roots(machine.find(), here_only=True) == [str(main)]
    write_memory(machine.qwen(linked), "a.md")
    assert roots(machine.find(), here_only=True) == [str(machine.qwen(linked)), str(main)]


@pytest.mark.parametrize("scope", ["workspace", " Workspace "])
def test_the_workspace_scope_takes_the_exact_directory(machine: Machine, scope: str) -> None:
    machine.repository(machine.project)
    machine.cwd = machine.project / "packages" / "one"
    machine.cwd.mkdir(parents=True)
    write_memory(machine.qwen(machine.project), "a.md")
    write_memory(machine.qwen(machine.cwd), "a.md")
    machine.environ["QWEN_CODE_MEMORY_PROJECT_SCOPE"] = scope
    assert roots(machine.find(), here_only=True) == [str(machine.qwen(machine.cwd))]
    machine.environ["QWEN_CODE_MEMORY_PROJECT_SCOPE"] = "git-root"
    assert roots(machine.find(), here_only=True) == [str(machine.qwen(machine.project))]


def test_local_memory_alone_is_read_when_asked_for(machine: Machine) -> None:
    local = machine.project / ".qwen" / "memory"
    write_memory(local, "a.md")
    write_memory(machine.qwen(machine.project), "a.md")
    machine.environ["QWEN_CODE_MEMORY_LOCAL"] = "1"
    assert roots(machine.find(), here_only=True) == [str(local)]
    machine.environ["QWEN_CODE_MEMORY_LOCAL"] = "true"
    assert roots(machine.find(), here_only=True) == [
        str(machine.qwen(machine.project)),
        str(local),
    ]


def test_the_base_of_qwen_follows_its_order(machine: Machine) -> None:
    bases = {name: machine.root / name for name in ("memory", "runtime", "settings", "qwen-home")}
    for base in bases.values():
        write_memory(machine.qwen(machine.project, base=base), "a.md")
    machine.environ["QWEN_HOME"] = str(bases["qwen-home"])
    assert only(machine.find()).root.startswith(str(bases["qwen-home"]))
    text = json.dumps({"advanced": {"runtimeOutputDir": str(bases["settings"])}})
    (bases["qwen-home"] / "settings.json").write_text(text)
    assert only(machine.find()).root.startswith(str(bases["settings"]))
    machine.environ["QWEN_RUNTIME_DIR"] = str(bases["runtime"])
    assert only(machine.find()).root.startswith(str(bases["runtime"]))
    machine.environ["QWEN_CODE_MEMORY_BASE_DIR"] = str(bases["memory"])
    assert only(machine.find()).root.startswith(str(bases["memory"]))


def test_a_base_begins_at_the_home_or_at_the_current_directory(machine: Machine) -> None:
    write_memory(machine.qwen(machine.project, base=machine.home / "q"), "a.md")
    write_memory(machine.qwen(machine.project, base=machine.project / "q"), "a.md")
    machine.environ["QWEN_RUNTIME_DIR"] = "~/q"
    assert only(machine.find()).root.startswith(str(machine.home / "q"))
    machine.environ["QWEN_RUNTIME_DIR"] = "q"
    assert only(machine.find()).root.startswith(str(machine.project / "q"))


def test_qwens_sessions_prove_a_project_too(machine: Machine) -> None:
    other = machine.home / "other"
    other.mkdir()
    memory = machine.qwen(other)
    write_memory(memory, "a.md")
    machine.session(memory, other, below="chats")
    assert only(machine.find()).project == str(other)


# -- any folder, filters, the empty state ---------------------------------------------------------


def test_a_folder_that_is_named_is_a_store(machine: Machine) -> None:
    write_memory(machine.home / "notes", "a.md")
    write_memory(machine.project / "docs" / ".qwen" / "kept", "a.md")
    found = machine.find(None, "~/notes", "docs/.qwen/kept", "missing")
    assert [(each.agent, each.dialect, each.here) for each in found.stores] == [
        ("folder", "qwen", True),
        ("folder", "claude", False),
    ]
    assert {each.kind for each in found.stores} == {"folder"}
    assert str(machine.project / "missing") in found.looked_at


def test_one_agent_alone_can_be_asked_for(machine: Machine) -> None:
    write_memory(machine.claude(machine.project), "a.md")
    write_memory(machine.qwen(machine.project), "a.md")
    assert [each.agent for each in machine.find("claude").stores] == ["claude"]
    assert [each.agent for each in machine.find("qwen").stores] == ["qwen"]
    with pytest.raises(ValueError, match="no agent is called 'cursor'; there are: claude, qwen"):
        machine.find("cursor")


def test_a_home_without_any_store_names_the_places_looked_at(machine: Machine) -> None:
    machine.repository(machine.project)
    found = machine.find()
    assert found.stores == ()
    assert here(found).sources == ()
    assert {
        str(machine.home / ".claude" / "projects"),
        str(machine.claude(machine.project)),
        str(machine.home / ".claude" / "agent-memory"),
        str(machine.project / ".claude" / "memory"),
        str(machine.project / ".claude" / "agent-memory"),
        str(machine.project / ".claude" / "agent-memory-local"),
        str(machine.qwen(machine.project)),
        str(machine.home / ".qwen" / "memories"),
        str(machine.project / ".qwen" / "team-memory"),
        str(machine.project / ".qwen" / "memory"),
    } <= set(found.looked_at)
    assert len(set(found.looked_at)) == len(found.looked_at)
    assert all(os.path.isabs(path) for path in found.looked_at)


def test_the_stores_of_the_current_directory_come_first(machine: Machine) -> None:
    for name in ("aaa", "zzz"):
        directory = machine.home / name
        directory.mkdir()
        write_memory(machine.claude(directory), "a.md")
        machine.session(machine.claude(directory), directory)
    write_memory(machine.home / ".claude" / "projects" / "-unknown" / "memory", "a.md")
    write_memory(machine.claude(machine.project), "a.md")
    projects = [each.project for each in machine.find().stores]
    assert projects == [
        str(machine.project),
        str(machine.home / "aaa"),
        str(machine.home / "zzz"),
        None,
    ]


def test_odd_entries_where_stores_are_looked_for_do_no_harm(machine: Machine) -> None:
    projects = machine.home / ".claude" / "projects"
    projects.mkdir(parents=True)
    (projects / "file").write_text("x")
    (projects / "loop").symlink_to(projects / "loop")
    (projects / "dangling").symlink_to(machine.root / "nowhere")
    (projects / "empty").mkdir()
    os.mkfifo(projects / "pipe")
    (projects / "memory-is-a-file").mkdir()
    (projects / "memory-is-a-file" / "memory").write_text("x")
    (machine.home / ".qwen").write_text("no folder")
    assert machine.find().stores == ()


def test_a_current_directory_that_is_gone_does_no_harm(machine: Machine) -> None:
    write_memory(machine.claude(machine.project), "a.md")
    machine.cwd = machine.home / "removed"
    assert not only(machine.find()).here


# -- the choice for the current directory ---------------------------------------------------------


def test_of_two_agents_the_one_with_the_newest_memory_is_taken_and_it_is_said(
    machine: Machine,
) -> None:
    write_memory(machine.claude(machine.project), "a.md", mtime_ms=NOW_MS - DAY_MS)
    write_memory(machine.qwen(machine.project), "a.md", mtime_ms=NOW_MS)
    chosen = here(machine.find())
    assert (chosen.agent, [each.root for each in chosen.sources]) == (
        "qwen",
        [str(machine.qwen(machine.project))],
    )
    assert chosen.note is not None
    assert "--agent claude" in chosen.note
    other = here(machine.find(), "claude")
    assert (other.agent, other.note) == ("claude", None)


def test_the_users_memories_alone_do_not_win_over_memories_of_the_project(
    machine: Machine,
) -> None:
    write_memory(machine.claude(machine.project), "a.md", mtime_ms=NOW_MS - DAY_MS)
    write_memory(machine.home / ".qwen" / "memories", "a.md", mtime_ms=NOW_MS)
    assert here(machine.find()).agent == "claude"


def test_an_empty_store_gives_way_to_one_with_memories(machine: Machine) -> None:
    machine.repository(machine.project)
    linked = machine.worktree(machine.project, machine.home / "wt")
    machine.claude(machine.project).mkdir(parents=True)
    write_file(machine.claude(machine.project), "MEMORY.md", b"# index\n")
    write_memory(machine.claude(linked), "a.md")
    machine.cwd = linked
    assert here(machine.find()).stores[0].root == str(machine.claude(linked))


def test_an_empty_store_is_still_shown_where_there_is_no_other(machine: Machine) -> None:
    machine.claude(machine.project).mkdir(parents=True)
    chosen = here(machine.find())
    assert [each.root for each in chosen.sources] == [str(machine.claude(machine.project))]


def test_a_sub_agents_memory_is_taken_only_where_the_agent_has_none(machine: Machine) -> None:
    parent = machine.project / ".claude" / "agent-memory"
    write_memory(parent / "old", "a.md", mtime_ms=NOW_MS - DAY_MS)
    write_memory(parent / "tester", "a.md", mtime_ms=NOW_MS)
    chosen = here(machine.find())
    assert chosen.stores[0].root == str(parent / "tester")
    assert chosen.note == "only the sub-agent tester has project memories"
    write_memory(machine.claude(machine.project), "a.md", mtime_ms=NOW_MS - 2 * DAY_MS)
    chosen = here(machine.find())
    assert chosen.stores[0].root == str(machine.claude(machine.project))
    assert chosen.note is None


def test_a_named_folder_is_taken_only_where_no_agent_has_memories(machine: Machine) -> None:
    write_memory(machine.project / "notes", "a.md")
    assert here(machine.find(None, "notes")).agent == "folder"
    write_memory(machine.claude(machine.project), "a.md", mtime_ms=NOW_MS - DAY_MS)
    assert here(machine.find(None, "notes")).agent == "claude"


def test_the_newest_memory_is_found_without_the_index(tmp_path: Path) -> None:
    assert newest_ms(str(tmp_path / "missing")) is None
    write_file(tmp_path, "MEMORY.md", b"", NOW_MS)
    write_file(tmp_path, "notes.txt", b"", NOW_MS)
    assert newest_ms(str(tmp_path)) is None
    write_memory(tmp_path, "a.md", mtime_ms=NOW_MS - DAY_MS)
    write_memory(tmp_path, "deep/b.md", mtime_ms=NOW_MS - 1)
    assert newest_ms(str(tmp_path)) == NOW_MS - 1


# -- counts ---------------------------------------------------------------------------------------


def test_a_summary_counts_as_the_scan_does(machine: Machine) -> None:
    memory = machine.qwen(machine.project)
    write_memory(memory, "a.md", mtime_ms=NOW_MS - DAY_MS)
    write_memory(memory, "b.md", mtime_ms=NOW_MS - 2 * DAY_MS)
    write_file(memory, "c.md", b"no frontmatter", NOW_MS)
    write_file(memory, "MEMORY.md", b"", NOW_MS)
    summary = summarise(only(machine.find()))
    assert (summary.documents, summary.skipped) == (2, 1)
    assert summary.newest_ms == NOW_MS - DAY_MS
    assert summary.error is None


def test_a_store_that_is_gone_or_no_folder_is_an_error_in_its_summary(machine: Machine) -> None:
    memory = machine.claude(machine.project)
    memory.mkdir(parents=True)
    store = only(machine.find())
    assert summarise(store).newest_ms is None
    memory.rmdir()
    assert summarise(store).error == f"{memory} is no longer there"
    memory.write_text("x")
    assert "can not be listed" in (summarise(store).error or "")


# -- nothing is written ---------------------------------------------------------------------------


def test_finding_choosing_and_counting_write_nothing(
    machine: Machine, request: pytest.FixtureRequest
) -> None:
    machine.repository(machine.project)
    linked = machine.worktree(machine.project, machine.home / "wt")
    for folder in (
        machine.claude(machine.project),
        machine.claude(linked),
        machine.qwen(machine.project),
        machine.home / ".qwen" / "memories",
        machine.project / ".qwen" / "team-memory",
        machine.project / ".claude" / "agent-memory" / "tester",
    ):
        write_memory(folder, "a.md")
        write_file(folder, "MEMORY.md", b"# index\n")
    machine.session(machine.claude(linked), linked)
    settings(machine.home / ".claude", "settings.json", "~/notes")
    request.getfixturevalue("untouched")
    found = machine.find(None, "~/notes")
    assert len(found.stores) == 6
    here(found)
    for store in found.stores:
        summarise(store)
