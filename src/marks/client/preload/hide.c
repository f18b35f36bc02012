/*
 * hide.c: see hide.h. An entry of the table of dynamic symbols without a value is none: gABI, "Symbol
 * Table".
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "hide.h"
#include "dynsym.h"

/* In glibc alone: with another libc the names stay. */
#pragma weak dladdr1

/* Symbols in the table, by the hash table that the linker made of them. */
static uint32_t count_of(const uint32_t *gnu) {
    const uint32_t *buckets = gnu + 4 + 2 * gnu[2], *chain = buckets + gnu[0];
    uint32_t last = 0, i;
    for (i = 0; i < gnu[0]; i++) {
        if (buckets[i] > last) last = buckets[i];
    }
    if (last < gnu[1]) return gnu[1];
    while (!(chain[last - gnu[1]] & 1)) last++;
    return last + 1;
}

/* How the part of the file that is loaded here may be used: mprotect(2). */
static int protection_of(const char *base, const void *at) {
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)base;
    const ElfW(Phdr) *part = (const ElfW(Phdr) *)(base + head->e_phoff);
    size_t offset = (size_t)((const char *)at - base);
    int i;
    for (i = 0; i < head->e_phnum; i++) {
        if (part[i].p_type != PT_LOAD || offset < part[i].p_vaddr ||
            offset - part[i].p_vaddr >= part[i].p_memsz)
            continue;
        return (part[i].p_flags & PF_R ? PROT_READ : 0) | (part[i].p_flags & PF_W ? PROT_WRITE : 0) |
               (part[i].p_flags & PF_X ? PROT_EXEC : 0);
    }
    return PROT_NONE;
}

JM_HIDDEN void jm_hide(int (*is_hidden)(const char *)) {
    Dl_info info;
    struct link_map *map = NULL;
    struct jm_dynsym table;
    uint32_t i, n;
    int protection;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes;
    char *from;
    if (!dladdr1 || !dladdr1((void *)(uintptr_t)jm_hide, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return;
    if (!jm_dynsym_of(map->l_ld, map->l_addr, &table)) return;
    n = count_of(table.gnu);
    from = (char *)((uintptr_t)table.symbols & ~(uintptr_t)(page - 1));
    bytes = (size_t)((char *)(table.symbols + n) - from);
    protection = protection_of((const char *)info.dli_fbase, table.symbols);
    if (!protection || mprotect(from, bytes, protection | PROT_WRITE) != 0) return;
    for (i = table.gnu[1]; i < n; i++) {
        if (is_hidden(table.names + table.symbols[i].st_name)) table.symbols[i].st_value = 0;
    }
    (void)mprotect(from, bytes, protection);
}
