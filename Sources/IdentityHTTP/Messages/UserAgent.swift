/// The `User-Agent` of the SDK's requests.
public enum UserAgent {
    /// The default value, unless the app sets its own.
    public static let standard = "IdentityKit/0.1"
}
