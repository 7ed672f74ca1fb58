// The public functions of the routes use types of these modules. With these re-exports, an app only has to import IdentityWeb.
@_exported public import IdentityHTTP
@_exported public import IdentityKit
