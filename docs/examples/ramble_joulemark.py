# Benchpark and Ramble: a modifier that measures every experiment. Copy to
# REPO/modifiers/joulemark/modifier.py and add "- name: joulemark" to the modifiers of ramble.yaml.
from ramble.modkit import *


class Joulemark(BasicModifier):
    """Time and energy of the application, by joulemark."""

    name = "joulemark"
    tags("profiler")
    mode("standard", description="One monitor a node, one report an experiment")

    variable_modification(
        "mpi_command",
        "joulemark run --quiet --report {experiment_run_dir}/joulemark.report --",
        method="append",
        modes=["standard"],
    )
    for label, key, units in (
        ("energy", r"package-energy \(J\)", "J"),
        ("power", r"power \(W\)", "W"),
        ("runtime", r"runtime \(s\)", "s"),
    ):
        # Fields of the application stand six blanks deep, and runtime stands first.
        figure_of_merit(
            "joulemark " + label,
            fom_regex=r"^      " + key + r": (?P<value>\S+)",
            group_name="value",
            units=units,
            log_file="{experiment_run_dir}/joulemark.report",
        )
