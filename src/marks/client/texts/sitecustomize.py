"""Functions of a Python program as regions, without a line in it: `joulemark run --python`.

Python imports a module of this name at its start: site(3). What is called so elsewhere on the path is
imported as ever, and this folder leaves the path. From Python 3.12 on sys.monitoring calls us, and
functions that are not the program's own cost nothing from their second call on; below it is
sys.setprofile, which sees every call.

A region is MODULE.FUNCTION of files outside of Python's own folders; module bodies, comprehensions and
what is made at run time are none. A generator or coroutine is in its region while it runs, not while it
waits. A function that is entered more than 50,000 times a second is left out from its 10,000th visit
on, and the report says so: marking it would take longer than it does. What PyTorch's record_function
names is a region too.

Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
"""
import os
import sys


def _watch(here):
    import sysconfig
    import threading
    import time
    import joulemark

    if not joulemark.active():
        return
    paths = sysconfig.get_paths()
    foreign = tuple({os.path.join(os.path.realpath(paths[name]), "")
                     for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths}
                    | {os.path.join(paths[name], "")
                       for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths}
                    | {os.path.join(here, "")})
    # By time of its own: on a loaded machine the same functions are left out.
    begin, end, now = joulemark.begin, joulemark.end, time.process_time
    known = {}

    class Function:
        """One code object: its region, visits, visits that are open, and when the first one was."""
        __slots__ = ("name", "visits", "open", "since")

    def function_of(code):
        path, name = code.co_filename, code.co_name
        found = None
        # Of code objects functions alone have fast locals: bodies of modules and classes have not.
        if code.co_flags & 1 and not path.startswith("<") and (
                not name.startswith("<") or name == "<lambda>"):
            whole = os.path.abspath(path)
            # Debian's own packages are in a dist-packages that no scheme names.
            if not whole.startswith(foreign) and not ("site-packages" in whole or
                                                      "dist-packages" in whole):
                module = os.path.splitext(os.path.basename(path))[0]
                if module == "__init__":
                    module = os.path.basename(os.path.dirname(whole))
                found = Function()
                found.name = "%s.%s" % (module, getattr(code, "co_qualname", name))
                found.visits = found.open = 0
                found.since = now()
        known[code] = found
        return found

    def entered(code):
        """False where the function is none of the program's, or left out."""
        try:
            f = known[code]
        except KeyError:
            f = function_of(code)
        if f is None:
            return False
        f.visits += 1
        if f.visits == 10000 and f.open == 0 and now() - f.since < 0.2:
            known[code] = None
            joulemark._remark("%s is left out after 10000 visits: it is entered more than "
                              "50,000 times a second" % f.name)
            return False
        f.open += 1
        begin(f.name)
        return True

    def left(code):
        f = known.get(code)
        if f is None:
            return False
        if f.open > 0:
            f.open -= 1
            end(f.name)
        return True

    def record_functions(module):
        """PyTorch's `with record_function("name"):` is a region while it is open."""
        cls = module.record_function
        enter, leave = cls.__enter__, cls.__exit__

        def __enter__(self):
            begin(self.name)
            return enter(self)

        def __exit__(self, *what):
            try:
                return leave(self, *what)
            finally:
                end(self.name)

        cls.__enter__, cls.__exit__ = __enter__, __exit__

    _when_imported("torch.autograd.profiler", record_functions)
    if hasattr(sys, "monitoring"):
        m = sys.monitoring
        tool = next((n for n in (4, 3, 2, 1) if m.get_tool(n) is None), None)
        if tool is None:
            return
        m.use_tool_id(tool, "joulemark")
        events, disable = m.events, m.DISABLE

        def start(code, offset):
            if not entered(code):
                return disable

        def stop(code, offset, value):
            if not left(code):
                return disable

        def thrown(code, offset, error):
            entered(code)

        def unwound(code, offset, error):
            left(code)

        m.register_callback(tool, events.PY_START, start)
        m.register_callback(tool, events.PY_RESUME, start)
        m.register_callback(tool, events.PY_RETURN, stop)
        m.register_callback(tool, events.PY_YIELD, stop)
        m.register_callback(tool, events.PY_THROW, thrown)
        m.register_callback(tool, events.PY_UNWIND, unwound)
        m.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_RETURN
                     | events.PY_YIELD | events.PY_THROW | events.PY_UNWIND)
    else:
        def profile(frame, event, argument):
            if event == "call":
                entered(frame.f_code)
            elif event == "return":
                left(frame.f_code)

        threading.setprofile(profile)
        sys.setprofile(profile)


def _when_imported(name, change):
    """Calls `change` with a module once it is imported; others are imported as before."""
    import importlib.util

    class Finder:
        @staticmethod
        def find_spec(found, path=None, target=None):
            if found != name:
                return None
            sys.meta_path.remove(Finder)
            spec = importlib.util.find_spec(name)
            if spec is None or spec.loader is None:
                return None
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                try:
                    change(module)
                except Exception:
                    pass  # another version of it: its regions are missing
            spec.loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, Finder)


def _start():
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        if os.environ.get("JOULEMARK_SESSION"):
            _watch(here)
    except Exception:
        pass  # the program goes on, whatever this Python is
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]
    sys.path_importer_cache.pop(here, None)


_start()
del sys.modules["sitecustomize"]
import sitecustomize  # noqa: E402  another one's; where there is none, site takes the error for that
