// In Sources, only this file imports the platform's C library. Files of other modules import IdentityPlatform to call its
// functions. Without `@_exported`, each file that calls them would need the `#if` below.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Darwin)
@_exported public import Darwin
#else
#error("IdentityKit does not know this platform's C library.")
#endif
