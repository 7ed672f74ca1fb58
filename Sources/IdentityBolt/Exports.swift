// An app that uses a provider can call its OpenID client.
@_exported public import IdentityOIDC
