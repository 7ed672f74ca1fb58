internal import FoundationEssentials
public import IdentityHTTP
internal import IdentityPlatform

/// The desktop's default browser, opened with `xdg-open`.
public struct SystemBrowser: BrowserOpening {
    private let environment: [String: String]

    /// Creates a browser that uses the environment variables of this process.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    /// Creates a browser that uses these environment variables.
    ///
    /// - Parameter environment: ``open(_:)`` looks for `xdg-open` in `PATH`. If none of `DISPLAY`, `WAYLAND_DISPLAY` and `BROWSER` is set,
    ///   the function returns false: without a desktop, `xdg-open` would start a text browser in the app's terminal.
    public init(environment: [String: String]) {
        self.environment = environment.filter { Self.isForBrowsers($0.key) }
    }

    /// Starts `xdg-open` in a separate process session (setsid), detached from the app's terminal.
    ///
    /// - Returns: False if `xdg-open` is not found or cannot be started, or if no variable for a desktop is set (``init(environment:)``).
    public func open(_ url: HTTPURL) async -> Bool {
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains { !(environment[$0] ?? "").isEmpty }
        guard hasDesktop, let program = find("xdg-open"),
            let child = ChildProcess.start(program, arguments: [url.text], environment: environment)
        else { return false }
        // Without `wait()`, xdg-open would stay in the process table after it has ended. It may run as long as the browser, so a thread
        // waits for it. If the thread cannot start, the browser opens nevertheless.
        _ = DedicatedThread.start { child.wait() }
        return true
    }

    private func find(_ name: String) -> String? {
        (environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }
            .first { unsafe $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }

    /// Whether a browser needs the environment variable; the browser does not get other variables, which may contain secrets.
    private static func isForBrowsers(_ name: String) -> Bool {
        let names = [
            "BROWSER", "DESKTOP_SESSION", "DISPLAY", "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM",
            "TMPDIR", "TZ", "USER", "WAYLAND_DISPLAY", "XAUTHORITY",
        ]
        let families = ["DBUS_", "GDK_", "GNOME_", "GTK_", "KDE_", "LC_", "MOZ_", "QT_", "WSL", "XDG_"]
        return names.contains(name) || families.contains { name.hasPrefix($0) }
    }
}
