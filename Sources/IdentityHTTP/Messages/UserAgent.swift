/// The `User-Agent` of the SDK's requests.
public enum UserAgent {
    /// The value that the SDK sends unless the app sets another value.
    public static let standard = "IdentityKit/0.1"
}
