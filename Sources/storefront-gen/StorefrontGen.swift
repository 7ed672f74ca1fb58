internal import IdentityPlatform
internal import StorefrontGeneration

@main enum StorefrontGen {
    static func main() {
        // Without this call, a closed pipe would end the program with a signal. With this call the write fails, and the program reports it.
        signal(SIGPIPE, SIG_IGN)
        var output = GeneratorCommand.Output()
        var status = GeneratorCommand.run(Array(CommandLine.arguments.dropFirst()), &output)
        _ = write(output.errors, to: STDERR_FILENO)
        if !write(output.lines, to: STDOUT_FILENO) {
            _ = write(["storefront-gen: The output could not be written to standard output."], to: STDERR_FILENO)
            status = max(status, 1)
        }
        exit(status)
    }

    private static func write(_ lines: [String], to descriptor: Int32) -> Bool {
        Descriptor.write(Array(lines.map { $0 + "\n" }.joined().utf8), to: descriptor)
    }
}
