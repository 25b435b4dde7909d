# Plays a launch program (src/containment/program.ts) on x86-64: maps the blob of descriptor 3, makes its system calls one after
# the other, and reports the first that fails on descriptor 4. src/containment/stub.ts holds the same bytes; a test assembles this
# file and compares.
#
# An operation is 64 bytes: u32 number, u32 flags, u32 address of a cell for the result or 0, u32 index, u64 arguments[6].
# Flags: 1 the first argument is what the cell at it holds; 2 go on after a failure; 4 after a failure leave out the next one too.
        .intel_syntax noprefix
        .globl  _start
_start:
        mov     eax, 9                  # mmap(0x70000000, 4 MiB, READ|WRITE, PRIVATE|FIXED, 3, 0)
        mov     edi, 0x70000000
        mov     esi, 0x400000
        mov     edx, 3
        mov     r10d, 0x12
        mov     r8d, 3
        xor     r9d, r9d
        syscall
        mov     ebx, 0x70000000
        cmp     rax, rbx
        jne     unusable
        cmp     dword ptr [rbx], 0x314c554d     # "MUL1"
        jne     unusable
next:
        add     rbx, 64
        mov     rdi, [rbx + 16]
        test    byte ptr [rbx + 4], 1
        jz      direct
        movsxd  rdi, dword ptr [rdi]    # the result of an earlier call
direct:
        mov     rsi, [rbx + 24]
        mov     rdx, [rbx + 32]
        mov     r10, [rbx + 40]
        mov     r8, [rbx + 48]
        mov     r9, [rbx + 56]
        mov     eax, [rbx]
        syscall
        mov     ecx, [rbx + 8]
        test    ecx, ecx
        jz      judge
        mov     [rcx], eax
judge:
        cmp     rax, -4095              # an errno, negated, at or above it
        jb      next
        test    byte ptr [rbx + 4], 2
        jnz     next
        test    byte ptr [rbx + 4], 4
        jz      report
        add     rbx, 64
        jmp     next
report:
        neg     eax
        mov     [rbx + 8], eax
        mov     eax, 1                  # write(4, operation, 16)
        mov     edi, 4
        mov     rsi, rbx
        mov     edx, 16
        syscall
unusable:
        mov     eax, 231                # exit_group(125)
        mov     edi, 125
        syscall
