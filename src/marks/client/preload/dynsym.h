/*
 * dynsym.h: the table of dynamic symbols of a loaded file, by its dynamic section. gABI, "Dynamic
 * Section"; the hash table that linkers of GNU systems make has what is not defined before its first.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_DYNSYM_H
#define JOULEMARK_PRELOAD_DYNSYM_H

#include <elf.h>
#include <link.h>

struct jm_dynsym {
    ElfW(Sym) *symbols;
    const char *names;
    const uint32_t *gnu; /* its hash table; gnu[1]: the first symbol that is defined */
};

/* @returns 0 where the file has no such tables. */
static inline __attribute__((unused)) int jm_dynsym_of(const ElfW(Dyn) *d, ElfW(Addr) base,
                                                       struct jm_dynsym *table) {
    table->symbols = NULL;
    table->names = NULL;
    table->gnu = NULL;
    for (; d->d_tag != DT_NULL; d++) {
        /* glibc has made addresses of them; where they are offsets still, they are small. */
        uintptr_t at = d->d_un.d_ptr < base ? base + d->d_un.d_ptr : d->d_un.d_ptr;
        if (d->d_tag == DT_SYMTAB) table->symbols = (ElfW(Sym) *)at;
        else if (d->d_tag == DT_STRTAB) table->names = (const char *)at;
        else if (d->d_tag == DT_GNU_HASH) table->gnu = (const uint32_t *)at;
    }
    return table->symbols && table->names && table->gnu;
}

#endif /* JOULEMARK_PRELOAD_DYNSYM_H */
