#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a CUDA program of random functions that run on the host and on the device and must agree bit by bit.

usage: fuzz.py seed functions > fuzz.cu
Compile it with -fmad=false -Xcompiler -ffp-contract=off, because the host result must not be contracted.
"""
import random
import sys

seed, count = int(sys.argv[1]), int(sys.argv[2])
R = random.Random(seed)
TYPES = {'i': 'int', 'u': 'unsigned', 'l': 'long long', 'w': 'unsigned long long', 'f': 'float', 'd': 'double',
         's': 'short', 'c': 'unsigned char'}
COUNTS = {'i': 5, 'u': 4, 'l': 3, 'w': 3, 'f': 4, 'd': 3, 's': 2, 'c': 2}
UNSIGNED = {'i': 'unsigned', 'l': 'unsigned long long', 'u': 'unsigned', 'w': 'unsigned long long'}
VARS = {t: [f'{t}{k}' for k in range(n)] for t, n in COUNTS.items()}
ALL = [(t, v) for t in 'iulwfdsc' for v in VARS[t]]


def const(t):
    if t in 'fd':
        v = R.choice([R.uniform(-4, 4), R.uniform(-1e4, 1e4), 0.0, 1.0, -0.5])
        return f'{v!r}' + ('f' if t == 'f' else '')
    v = R.choice([R.randrange(-8, 9), R.randrange(-100000, 100000), 1 << R.randrange(0, 31), 0x7fffffff])
    if t in 'uw':
        v = abs(v)
    return f'({TYPES[t]}){v}' + ('ll' if t in 'lw' else '')


def int_expr(t, depth, e):
    un, ty = UNSIGNED[t], TYPES[t]
    bits = 63 if t in 'lw' else 31
    k = R.randrange(16)
    if k < 3:
        return f'({ty})(({un})({e()}) {R.choice("+-*")} ({un})({e()}))'
    if k < 5:
        return f'(({e()}) {R.choice("&|^")} ({e()}))'
    if k == 5:
        return f'({ty})(({un})({e()}) << (({e("u")}) & {bits}))'
    if k == 6:
        return f'(({e()}) >> (({e("u")}) & {bits}))'
    if k == 7:
        return f'(({e()}) {R.choice("/%")} ((({e()}) & 0x7fff) | 1))'
    if k == 8:
        return f'(({cond(depth - 1)}) ? ({e()}) : ({e()}))'
    if k == 9:
        return f'({ty})({e(R.choice("iluwsc"))})'
    if k == 10:
        return f'({ty})tol({e(R.choice("fd"))})'
    if k == 11:
        return f'({ty})arr[({e("u")}) & 7]'
    if k == 12 and t in 'iu':
        return f'({ty})helper({e("i")}, {e("u")})'
    if k == 13:
        return f'(~({e()}))'
    if k == 14:
        return f'(({e()}) {R.choice(["<", ">"])} ({e()}) ? ({e()}) : ({e()}))'
    return f'({ty})(({un})0 - ({un})({e()}))'


def float_expr(t, depth, e):
    s = 'f' if t == 'f' else ''
    k = R.randrange(14)
    if k < 5:
        return f'(({e()}) {R.choice("+-*")} ({e()}))'
    if k == 5:
        return f'(({e()}) / ({e()}))'
    if k == 6:
        return f'sqrt{s}(fabs{s}({e()}))'
    if k == 7:
        return f'fma{s}({e()}, {e()}, {e()})'
    if k == 8:
        return f'({TYPES[t]})({e(R.choice("iluw"))})'
    if k == 9:
        return f'({TYPES[t]})({e("d" if t == "f" else "f")})'
    if k == 10:
        return f'{R.choice(["floor", "ceil", "trunc", "rint"])}{s}({e()})'
    if k == 11:
        return f'(({cond(depth - 1)}) ? ({e()}) : ({e()}))'
    if k == 12:  # + 0: the sign of a zero is free in C
        return f'(f{R.choice(["min", "max"])}{s}({e()}, {e()}) + ({TYPES[t]})0)'
    return f'(-({e()}))'


def expr(t, depth):
    if depth <= 0 or R.random() < 0.15:
        return R.choice(VARS[t]) if R.random() < 0.8 else const(t)

    def e(q=None):
        return expr(q or t, depth - 1)

    if t in 'sc':
        return f'({TYPES[t]})({e(R.choice("iu"))})'
    return int_expr(t, depth, e) if t in 'iluw' else float_expr(t, depth, e)


def cond(depth):
    t = R.choice('iluwfd')
    c = f'({expr(t, depth - 1)}) {R.choice(["<", "<=", ">", ">=", "==", "!="])} ({expr(t, depth - 1)})'
    if depth <= 0 or R.random() < 0.6:
        return c
    return f'({c}) {R.choice(["&&", "||"])} ({cond(depth - 1)})'


def stmts(depth, loops):
    out = []
    for _ in range(R.randrange(2, 5)):
        k = R.random()
        if depth > 0 and k < 0.18:
            out += [f'if ({cond(2)}) {{'] + stmts(depth - 1, loops)
            if R.random() < 0.6:
                out += ['} else {'] + stmts(depth - 1, loops)
            out += ['}']
        elif depth > 0 and k < 0.30:
            n = f'n{loops}'
            out += [f'for (int {n} = 0; {n} < (int)(({expr("u", 1)}) & 7); {n}++) {{'] + stmts(depth - 1, loops + 1)
            if R.random() < 0.4:
                out += [f'if ({cond(1)}) {R.choice(["break", "continue"])};']
            out += [f'i0 = (int)((unsigned)i0 + (unsigned){n});', '}']
        elif depth > 0 and k < 0.36:
            out += [f'switch (({expr("u", 2)}) & 7) {{']
            for c in R.sample(range(8), 5):
                out += [f'case {c}: {{'] + stmts(0, loops) + ['}'] + (['break;'] if R.random() < 0.7 else [])
            out += ['default: i1 ^= 1; }']
        elif k < 0.45:
            out.append(f'arr[({expr("u", 1)}) & 7] = ({expr("i", 2)});')
        else:
            t = R.choice('iiuulwffddsc')
            out.append(f'{R.choice(VARS[t])} = {expr(t, 3)};')
    return out


def each(text):
    """The text for every variable, with its type T and name V filled in."""
    return ' '.join(text.replace('@T', TYPES[t]).replace('@V', v) for t, v in ALL)


def function(n):
    print(f'HD void fn{n}(St& S) {{ {each("@T @V = S.@V;")}')
    print('  int arr[8]; for (int k = 0; k < 8; k++) arr[k] = S.arr[k];')
    print('\n'.join('  ' + x for x in stmts(3, 0)))
    print(f'  {each("S.@V = @V;")} for (int k = 0; k < 8; k++) S.arr[k] = arr[k]; }}')
    print(f'__global__ void k{n}(St* s, int n) {{')
    print(f'  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) fn{n}(s[i]); }}')


def main():
    print('#include "check.h"\n#define HD __host__ __device__')
    print('struct St { ' + each('@T @V;') + ' int arr[8]; };')
    print('HD inline long long tol(double x) { return !(x > -1e15) ? -1 : x >= 1e15 ? 77 : (long long)x; }')
    print('HD __noinline__ int helper(int a, unsigned b) { int r = a;')
    print('  for (unsigned k = 0; k < (b & 3); k++) r = (int)((unsigned)r * 31u + b); return r; }')
    for n in range(count):
        function(n)
    print('template <class T> bool same(T a, T b) { return memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b); }')
    print('static bool same(const St& a, const St& b) { bool r = memcmp(a.arr, b.arr, sizeof a.arr) == 0;')
    print('  ' + each('r &= same(a.@V, b.@V);') + ' return r; }')
    print(f'static unsigned long long sd = {seed * 7919 + 13};')
    print('static unsigned long long rnd() { sd ^= sd << 13; sd ^= sd >> 7; sd ^= sd << 17; return sd; }')
    print('typedef void (*Host)(St&); typedef void (*Kernel)(St*, int);')
    print('static const Host hosts[] = {' + ', '.join(f'fn{n}' for n in range(count)) + '};')
    print('static const Kernel kernels[] = {' + ', '.join(f'k{n}' for n in range(count)) + '};')
    print('int main() { const int n = 200; std::vector<St> in(n);')
    print('  for (auto& s : in) { memset(&s, 0, sizeof s);')
    for t, v in ALL:
        if t in 'fd':
            print(f'    s.{v} = ({TYPES[t]})((double)(long long)rnd() / 9e18 * (rnd() % 100));')
        else:
            print(f'    s.{v} = ({TYPES[t]})(rnd() >> (rnd() & 63));')
    print('    for (auto& a : s.arr) a = (int)rnd(); }')
    print('  St* d = dev(in); int bad = 0;')
    print(f'  for (int f = 0; f < {count}; f++) {{')
    print('    CK(cudaMemcpy(d, in.data(), n * sizeof(St), cudaMemcpyHostToDevice));')
    print('    kernels[f]<<<(n + 63) / 64, 64>>>(d, n); auto o = host(d, n); int m = 0;')
    print('    for (int i = 0; i < n; i++) { St h = in[i]; hosts[f](h); m += !same(h, o[i]); }')
    print('    if (m) { printf("fn%d: %d of %d threads differ\\n", f, m, n); ++bad; } }')
    print('  report("random functions, host against device", bad == 0 && failures == 0);')
    print('  cudaFree(d); return bad || failures; }')


main()
