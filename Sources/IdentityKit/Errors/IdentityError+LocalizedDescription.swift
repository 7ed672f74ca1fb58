public import FoundationEssentials

extension IdentityError: LocalizedError {
    /// The same as ``message``; `localizedDescription` of any `Error` returns it.
    public var errorDescription: String? { message }
    /// The same as ``hint``.
    public var recoverySuggestion: String? { hint }
    /// The same as ``message``; the code samples in Shopify's and Bolt's documentation read an error's text by this name.
    public var localizedDescription: String { message }
}
