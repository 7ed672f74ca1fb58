// The public functions of the routes use types of these modules. With these re-exports, an app needs one import only.
@_exported public import IdentityHTTP
@_exported public import IdentityKit
