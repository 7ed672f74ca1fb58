extension IdentityError {
    /// The ``message``, under the name by which code written from the providers' own pages asks for it.
    public var localizedDescription: String { message }
}
