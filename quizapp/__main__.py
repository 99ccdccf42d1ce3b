"""The `quizapp` command. Nothing heavy is imported before we know what was asked for."""

import sys


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        from quizapp import __version__

        print(f"quizapp {__version__}")
        return
    from quizapp.cli import run

    run()


if __name__ == "__main__":
    main()
