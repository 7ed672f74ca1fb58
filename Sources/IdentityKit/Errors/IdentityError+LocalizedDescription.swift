extension IdentityError {
    /// The same as ``message``; code samples on the providers' pages use this name.
    public var localizedDescription: String { message }
}
