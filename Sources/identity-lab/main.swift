internal import IdentityPlatform

exit(await Program.run(Array(CommandLine.arguments.dropFirst())))
