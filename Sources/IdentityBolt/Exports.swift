// Exported, because an app that uses a provider of this module can call its OpenID client.
@_exported public import IdentityOIDC
