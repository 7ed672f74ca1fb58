// Exported, because apps use types of IdentityOIDC: the provider's public property `client` is an OpenIDClient.
@_exported public import IdentityOIDC
