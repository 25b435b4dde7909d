// Plays a launch program (src/containment/program.ts) on arm64: maps the blob of descriptor 3, makes its system calls one after
// the other, and reports the first that fails on descriptor 4. src/containment/stub.ts holds the same bytes; a test assembles this
// file and compares.
//
// An operation is 64 bytes: u32 number, u32 flags, u32 address of a cell for the result or 0, u32 index, u64 arguments[6].
// Flags: 1 the first argument is what the cell at it holds; 2 go on after a failure; 4 after a failure leave out the next one too.
        .globl  _start
_start:
        mov     x8, #222                // mmap(0x70000000, 4 MiB, READ|WRITE, PRIVATE|FIXED, 3, 0)
        mov     x0, #0x70000000
        mov     x1, #0x400000
        mov     x2, #3
        mov     x3, #0x12
        mov     x4, #3
        mov     x5, #0
        svc     #0
        mov     x19, #0x70000000
        cmp     x0, x19
        b.ne    unusable
        ldr     w9, [x19]
        movz    w10, #0x554d
        movk    w10, #0x314c, lsl #16   // "MUL1"
        cmp     w9, w10
        b.ne    unusable
next:
        add     x19, x19, #64
        ldp     x0, x1, [x19, #16]
        ldp     x2, x3, [x19, #32]
        ldp     x4, x5, [x19, #48]
        ldp     w8, w10, [x19]
        tbz     w10, #0, direct
        ldrsw   x0, [x0]                // the result of an earlier call
direct:
        svc     #0
        ldr     w9, [x19, #8]
        cbz     w9, judge
        str     w0, [x9]
judge:
        cmn     x0, #4095               // an errno, negated, at or above -4095
        b.lo    next
        tbnz    w10, #1, next
        tbz     w10, #2, report
        add     x19, x19, #64
        b       next
report:
        neg     w0, w0
        str     w0, [x19, #8]
        mov     x8, #64                 // write(4, operation, 16)
        mov     x0, #4
        mov     x1, x19
        mov     x2, #16
        svc     #0
unusable:
        mov     x8, #94                 // exit_group(125)
        mov     x0, #125
        svc     #0
