# Spack: copy to REPO/packages/joulemark/package.py. The executable is made beforehand by compile.sh,
# since it needs Deno: spack install joulemark executable=/path/to/joulemark
from spack.package import *


class Joulemark(Package):
    """Where the time and the joules of a job went, region by region."""

    license("BSD-3-Clause")
    has_code = False

    version("0.1.0")
    variant("executable", default="none", description="The executable that compile.sh made", multi=False)

    def install(self, spec, prefix):
        executable = spec.variants["executable"].value
        if executable == "none":
            raise InstallError("give the executable: joulemark executable=/path/to/joulemark")
        mkdirp(prefix.bin)
        install(executable, prefix.bin.joulemark)
        set_executable(prefix.bin.joulemark)
        run = Executable(prefix.bin.joulemark)
        mkdirp(prefix.share.man.man1)
        with open(join_path(prefix.share.man.man1, "joulemark.1"), "w") as page:
            run("man", output=page)
        completions = join_path(prefix.share, "bash-completion", "completions")
        mkdirp(completions)
        with open(join_path(completions, "joulemark"), "w") as script:
            run("completions", "bash", output=script)
