"""The `quizapp` command. Nothing heavy is imported before we know what was asked for."""

import sys


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        from quizapp import __version__

        print(f"quizapp {__version__}")
        return
    if not sys.argv[1:]:  # the app itself: 80 ms sooner without the command line's parser
        from quizapp.tui.start import open_app

        sys.exit(open_app())
    from quizapp.cli import run

    run()


if __name__ == "__main__":
    main()
