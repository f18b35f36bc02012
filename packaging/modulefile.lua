-- joulemark @VERSION@ for Lmod: copy to MODULEPATH/joulemark/@VERSION@.lua and set the prefix.
local prefix = "@PREFIX@"

help([[joulemark @VERSION@: where the time and the joules of a job went, region by region.
Start with: joulemark run -- ./app; joulemark doctor]])
whatis("Name: joulemark")
whatis("Version: @VERSION@")
whatis("Description: energy and time of a job, region by region")
conflict("joulemark")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
