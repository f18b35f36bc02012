# ReFrame: energy and power of a test beside its time, out of the report. Add the class to a test's
# bases: class MyTest(rfm.RunOnlyRegressionTest, JoulemarkMixin).
import reframe as rfm
import reframe.utility.sanity as sn

REPORT = "joulemark.report"


def application(key):
    """Values of the application on each host, by the key of the report."""
    pattern = r"Application Totals:\n(?:      .*\n)*?      " + key + r": (\S+)"
    return sn.extractall(pattern, REPORT, 1, float)


class JoulemarkMixin(rfm.RegressionMixin):
    @run_before("run")
    def measure(self):
        # Behind the launcher, whichever that is: srun joulemark run ... -- ./app
        run = ["run", "--quiet", "--report", REPORT, "--", self.executable]
        self.executable_opts = run + self.executable_opts
        self.executable = "joulemark"

    @performance_function("J")
    def package_energy(self):
        return sn.sum(application(r"package-energy \(J\)"))

    @performance_function("W")
    def package_power(self):
        return sn.sum(application(r"power \(W\)"))
