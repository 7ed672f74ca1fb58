// In Sources, only this file imports the platform's C library. Other files call C functions through IdentityPlatform. Without
// `@_exported`, each of these files would need the `#if` below.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Darwin)
@_exported public import Darwin
#else
#error("IdentityKit does not know this platform's C library.")
#endif
