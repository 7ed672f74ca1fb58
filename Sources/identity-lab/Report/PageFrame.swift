enum PageFrame {
    /// Returns the HTML of a page; the arguments must already be HTML (`style`: CSS), because this method escapes nothing.
    ///
    /// The page adds the mask (`•••`) and a full stop to `introduction`, so `introduction` must be a sentence without its last word.
    static func html(title: String, head: String, style: String = "", introduction: String, main: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        \(head)
        <link rel="icon" href="data:,">
        <title>\(title)</title>
        <style>
        \(Stylesheet.text)
        \(style)
        </style>
        </head>
        <body>
        <header>
        <h1>\(title)</h1>
        <p>\(introduction) <span class="masked">\(RecordedField.mask)</span>.</p>
        </header>
        <main>
        \(main)
        </main>
        </body>
        </html>

        """
    }
}
