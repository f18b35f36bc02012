/*
 * symbol.c: names of addresses, from the dynamic symbols (dladdr(3)) or, for functions that are not
 * exported, from the symbol table in the object's file: elf(5). Once for each place; never hot.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#include "symbol.h"
#include <elf.h>

/* The function in a mapped file that holds the address, counted from where the file was loaded. */
static const char *in_file(const unsigned char *file, size_t bytes, uint64_t address,
                           uint64_t *start) {
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
    const Elf64_Shdr *sections;
    int i;
    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        head->e_shoff > bytes || (bytes - head->e_shoff) / sizeof *sections < head->e_shnum)
        return NULL;
    sections = (const Elf64_Shdr *)(file + head->e_shoff);
    for (i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i], *text;
        const Elf64_Sym *symbols;
        uint64_t k;
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum) continue;
        text = &sections[s->sh_link];
        if (s->sh_offset > bytes || s->sh_size > bytes - s->sh_offset ||
            text->sh_offset > bytes || text->sh_size > bytes - text->sh_offset)
            continue;
        symbols = (const Elf64_Sym *)(file + s->sh_offset);
        for (k = 0; k < s->sh_size / sizeof *symbols; k++) {
            const Elf64_Sym *symbol = &symbols[k];
            if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= text->sh_size ||
                address < symbol->st_value || address - symbol->st_value >= symbol->st_size)
                continue;
            *start = symbol->st_value;
            return (const char *)file + text->sh_offset + symbol->st_name;
        }
    }
    return NULL;
}

/* "NAME+0xOFFSET", cut where there is no room; demangled: as C++ has it, where its library is loaded. */
static void write_symbol(const char *name, uint64_t offset, int demangled, char *into, size_t room) {
    char *plain = NULL, tail[24];
    int length = snprintf(tail, sizeof tail, "+0x%llx", (unsigned long long)offset);
    if (demangled && strncmp(name, "_Z", 2) == 0) {
        /* A plug-in's libraries, as those of Python's modules, are in no scope but its own. */
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
        char *(*demangle)(const char *, char *, size_t *, int *) = (__typeof__(demangle))dlsym(
            library ? library : RTLD_DEFAULT, "__cxa_demangle");
        if (demangle) plain = demangle(name, NULL, NULL, NULL);
        if (library) dlclose(library);
    }
    snprintf(into, room, "%.*s%s", (int)room - 1 - length, plain ? plain : name, tail);
    free(plain);
}

JM_HIDDEN int jm_symbol(const void *address, int demangled, char *into, size_t room) {
    Dl_info info;
    int fd, saved = errno, found = 0;
    snprintf(into, room, "0x%016llx", (unsigned long long)(uintptr_t)address);
    if (!dladdr(address, &info)) goto done;
    fd = open(info.dli_fname && *info.dli_fname ? info.dli_fname : "/proc/self/exe",
              O_RDONLY | JOULEMARK__O_CLOEXEC);
    if (fd >= 0) {
        struct stat st;
        void *file = MAP_FAILED;
        if (fstat(fd, &st) == 0 && st.st_size > 0)
            file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        if (file != MAP_FAILED) {
            const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
            /* Programs that are not loaded anywhere have their addresses in the file already. */
            uint64_t base = head->e_type == ET_EXEC ? 0 : (uint64_t)(uintptr_t)info.dli_fbase;
            uint64_t at = (uint64_t)(uintptr_t)address - base, start = 0;
            const char *name = in_file((const unsigned char *)file, (size_t)st.st_size, at, &start);
            if (name) write_symbol(name, at - start, demangled, into, room);
            munmap(file, (size_t)st.st_size);
            if ((found = name != NULL)) goto done;
        }
    }
    if (info.dli_sname && info.dli_saddr) {
        found = 1;
        write_symbol(info.dli_sname, (uint64_t)((const char *)address - (const char *)info.dli_saddr),
                     demangled, into, room);
    } else if (info.dli_fname && *info.dli_fname) {
        /* Unlike the address, the same in every process and run. */
        const char *base = strrchr(info.dli_fname, '/');
        write_symbol(base ? base + 1 : info.dli_fname,
                     (uint64_t)((const char *)address - (const char *)info.dli_fbase), 0, into, room);
    }
done:
    errno = saved;
    return found;
}
