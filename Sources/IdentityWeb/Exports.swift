// The routes use values of these modules, so an app needs one import only.
@_exported public import IdentityHTTP
@_exported public import IdentityKit
