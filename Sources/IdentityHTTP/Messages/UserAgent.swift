/// The `User-Agent` of the SDK's requests.
public enum UserAgent {
    /// What every part of the SDK sends unless the app names itself.
    public static let standard = "IdentityKit/0.1"
}
