internal import IdentityPlatform

/// A program that this process has started, with `/dev/null` as its standard input, output and error.
struct ChildProcess: Sendable {
    private let identifier: pid_t

    static func start(_ program: String, arguments: [String], environment: [String: String]) -> ChildProcess? {
        var files = unsafe posix_spawn_file_actions_t()
        guard unsafe posix_spawn_file_actions_init(&files) == 0 else { return nil }
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        for descriptor: Int32 in 0...2 {
            guard unsafe posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0) == 0 else {
                return nil
            }
        }

        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The program gets its own process session (setsid), so that Ctrl-C in the app's terminal does not end the browser.
        // The program starts without blocked or ignored signals, even if the app blocks or ignores some.
        var all = sigset_t()
        var none = sigset_t()
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | Platform.spawnSetSession
        guard unsafe posix_spawnattr_setflags(&attributes, Int16(flags)) == 0 else { return nil }

        var identifier = pid_t()
        let result = unsafe withCStrings([program] + arguments) { argumentList in
            unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environmentList in
                unsafe posix_spawn(&identifier, program, &files, &attributes, argumentList, environmentList)
            }
        }
        return result == 0 ? ChildProcess(identifier: identifier) : nil
    }

    func wait() {
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }
}

/// Calls `body` with the texts as a C array of string pointers, which ends with a null pointer.
private func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(&pointers)
}
