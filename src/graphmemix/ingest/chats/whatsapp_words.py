"""The words in WhatsApp's notes about media, by language."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(" ".join(word.split()) for word in text.split("|"))


ATTACHED = frozenset(_words("""
    file attached | attached | datei angehängt | angehängt | angehangen | archivo adjunto |
    adjunto | fichier joint | pièce jointe | file allegato | allegato | arquivo anexado |
    anexado | ficheiro anexado | anexo | bestand bijgevoegd | bijgevoegd | файл добавлен |
    прикреплено | plik załączony | plik dołączony | załączono | załączone |
    soubor byl přiložen | přiloženo | dosya ekli | ekli | bifogad fil | bifogat |
    fil vedhæftet | vedlagt fil | liitetiedosto | 添付ファイル | ファイル添付 | 附件 |
    文件附件 | 檔案已附加 |
    파일 첨부됨 | 첨부됨 | הקובץ צורף | הקובץ המצורף | تم إرفاق الملف | मीडिया फ़ाइल
"""))  # fmt: skip
"""Follows the name of an exported file."""

OMITTED = frozenset(_words("""
    media omitted | medien ausgeschlossen | medien weggelassen | multimedia omitido |
    archivo omitido | médias omis | fichier omis | media omessi | media omesso | mídia oculta |
    arquivo de mídia oculto | ficheiro não revelado | media weggelaten | без медиафайлов |
    файл пропущен | pominięto multimedia | média byla vynechána | média vynechána |
    medya dahil edilmedi | medya atlanmış | media utelämnat | media har utelämnats |
    mediefil udeladt | medier utelatt | media jätettiin pois |
    メディアは含まれていません | 省略多媒体文件 |
    媒體已略去 | 미디어 파일을 생략한 대화내용 | המדיה לא נכללה |
    תוכן מדיה הושמט | تم استبعاد الوسائط |
    मीडिया के बिना | file media | media tidak disertakan
"""))  # fmt: skip
"""In angle brackets, in place of a file that was not exported (Android)."""

LEFT_OUT = _words("""
    omitted | weggelassen | ausgeschlossen | omitido | omitida | omesso | omessa | omis |
    omise | absente | absent | ocultado | ocultada | oculto | oculta | weggelaten | пропущен |
    пропущено | пропущена | pominięto | atlandı | dahil edilmedi | jätettiin pois | utelämnad |
    udeladt | は含まれていません | 已省略 | 略去 | 생략됨
""")
"""Follows or precedes the kind of a file that was not exported (iPhone)."""

KINDS = {
    "image": _words("""
    image | photo | picture | bild | imagen | imagem | image absente | immagine | afbeelding |
    изображение | obraz | fotoğraf | görüntü | kuva | 画像 | 图像 | 圖片 | 사진 |
    sticker | aufkleber |
    стикер | figurinha | gif
    """),
    "video": _words("""
    video | vídeo | vidéo | видео | wideo | 動画 | 视频 | 동영상
    """),
    "audio": _words("""
    audio | áudio | аудио | ääni | 音声 | 音频 | 오디오 | voice message | ses
    """),
    "text": _words("""
    document | dokument | documento | контакт | contact card | kontaktkarte |
    tarjeta de contacto | документ | belge | asiakirja | 文書 | 文档 | 문서
    """),
}  # fmt: skip
"""The words for kinds of files."""
