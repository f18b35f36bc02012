#%Module1.0
# joulemark @VERSION@: copy to MODULEPATH/joulemark/@VERSION@ and set the prefix.
set prefix @PREFIX@

proc ModulesHelp {} {
    puts stderr "joulemark @VERSION@: where the time and the joules of a job went, region by region."
    puts stderr "Start with: joulemark run -- ./app; joulemark doctor"
}
module-whatis "energy and time of a job, region by region"
conflict joulemark
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
