internal import FoundationEssentials
internal import Glibc
public import IdentityHTTP

/// The browser that the desktop opens web pages with, by way of `xdg-open`.
public struct SystemBrowser: BrowserOpening {
    private let environment: [String: String]

    /// A browser of this process's desktop.
    public init() {
        self.init(environment: ProcessInfo.processInfo.environment)
    }

    /// A browser of the desktop that the environment variables describe.
    ///
    /// - Parameter environment: `PATH` finds `xdg-open`, and one of `DISPLAY`, `WAYLAND_DISPLAY` and `BROWSER` has to be there:
    ///   without a desktop `xdg-open` would start a browser in the terminal, in the middle of what the app prints.
    public init(environment: [String: String]) {
        self.environment = environment.filter { Self.isForBrowsers($0.key) }
    }

    /// Starts `xdg-open`, in a session of its own, away from the app's terminal.
    public func open(_ url: HTTPURL) async -> Bool {
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains { !(environment[$0] ?? "").isEmpty }
        guard hasDesktop, let program = find("xdg-open"),
            let child = ChildProcess.start(program, arguments: [url.text], environment: environment)
        else { return false }
        // A child that nobody waits for stays in the process table; xdg-open may live as long as the browser.
        return DedicatedThread.start { child.wait() }
    }

    private func find(_ name: String) -> String? {
        (environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }
            .first { unsafe $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }

    /// What a desktop program needs; the rest stays here, because an app's environment holds its secrets.
    private static func isForBrowsers(_ name: String) -> Bool {
        let names = [
            "BROWSER", "DESKTOP_SESSION", "DISPLAY", "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM",
            "TMPDIR",
            "TZ", "USER", "WAYLAND_DISPLAY", "XAUTHORITY",
        ]
        let families = ["DBUS_", "GDK_", "GNOME_", "GTK_", "KDE_", "LC_", "MOZ_", "QT_", "WSL", "XDG_"]
        return names.contains(name) || families.contains { name.hasPrefix($0) }
    }
}
