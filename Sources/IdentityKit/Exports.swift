// Exported, because public types of this module conform to it: an app that imports only IdentityKit can use it for its own types.
@_exported public import protocol IdentityHTTP.Redacted
