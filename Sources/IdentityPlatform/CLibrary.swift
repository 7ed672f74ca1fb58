// The only place that names the platform's C library: every other file imports IdentityPlatform. `@_exported` is an attribute
// that Foundation uses for the same purpose; without it each file would have to choose the C library itself.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Darwin)
@_exported public import Darwin
#else
#error("IdentityKit does not know this platform's C library.")
#endif
