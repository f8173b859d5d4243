// Names of the people in demo and bulk data, by country. Data only. A name in other than Latin letters is followed by a slash and its
// spelling in the e-mail address.

export interface Country {
  readonly code: string;
  /** How many of a thousand people live in the country. */
  readonly weight: number;
  readonly timeZones: readonly [string, ...string[]];
  /** The format of phone numbers: every # is a digit. */
  readonly phone: string;
  readonly firstNames: string;
  readonly lastNames: string;
}

export const COUNTRIES: readonly Country[] = [
  {
    code: 'US',
    weight: 330,
    timeZones: [
      'Eastern Time (US & Canada)',
      'Central Time (US & Canada)',
      'Mountain Time (US & Canada)',
      'Pacific Time (US & Canada)',
    ],
    phone: '+1 41#-555-01##',
    firstNames:
      'Emma Liam Olivia Noah Ava Ethan Sophia Mason Grace Caleb Hannah Wyatt Zoe Marcus Naomi Dylan Ruth Isaac Jade Victor Camila Andre Tessa Owen Maya Elijah Brooke Travis',
    lastNames:
      'Carter Nguyen Johnson Ramirez Brooks Patterson Kim Sullivan Ortiz Freeman Hayes Walsh Delgado Whitaker Bennett Chavez Monroe Okafor Fletcher Reyes Sandoval Hughes Lowe Goldberg',
  },
  {
    code: 'GB',
    weight: 110,
    timeZones: ['London', 'Edinburgh'],
    phone: '+44 7700 900###',
    firstNames: 'Amelia Oliver Isla Harry Freya Callum Poppy Alfie Niamh Rhys Imogen Angus Priya Tariq',
    lastNames:
      'Ashworth Bailey Campbell Davies Evans Griffiths Hussain Kaur MacLeod Patel Pritchard Walker Yates',
  },
  {
    code: 'DE',
    weight: 80,
    timeZones: ['Berlin'],
    phone: '+49 151 2######',
    firstNames: 'Lena Jonas Mia Felix Clara Maximilian Hannah Jürgen Björn Katrin Anneliese Emre Käthe Lukas',
    lastNames: 'Müller Schäfer Weiß Köhler Vogel Brandt Schröder Yılmaz Lindner Groß Hoffmann Krüger Böhm',
  },
  {
    code: 'FR',
    weight: 65,
    timeZones: ['Paris'],
    phone: '+33 6 ## ## ## ##',
    firstNames: 'Chloé Hugo Inès Théo Élodie Mathis Zoé Gaëlle Noémie Étienne Amadou Léa Océane Rémi',
    lastNames: 'Moreau Lefèvre Girard Bonnet Traoré Chevalier Garnier Faure Blanchard Benali Marchand Perrin',
  },
  {
    code: 'ES',
    weight: 55,
    timeZones: ['Madrid'],
    phone: '+34 6## ### ###',
    firstNames: 'Lucía Mateo Martina Álvaro Noelia Íñigo Carmen Pablo Ainhoa Sergio Begoña Jordi Marta Raúl',
    lastNames:
      'García Fernández Ibáñez Muñoz Peña Serrano Vázquez Etxeberria Castaño Puig Molina Navarro Rey',
  },
  {
    code: 'MX',
    weight: 60,
    timeZones: ['Mexico City', 'Guadalajara', 'Tijuana'],
    phone: '+52 55 #### ####',
    firstNames: 'Ximena Santiago Valeria Emiliano Regina Leonardo Fernanda Iker Renata Diego Itzel Joaquín',
    lastNames: 'Hernández López Cruz Mendoza Guzmán Ávila Zamora Cárdenas Villalobos Rosas Núñez Trejo',
  },
  {
    code: 'BR',
    weight: 70,
    timeZones: ['Brasilia'],
    phone: '+55 11 9####-####',
    firstNames: 'Ana João Beatriz Gustavo Larissa Thiago Júlia Rafael Conceição Mateus Iara Vinícius Luiza',
    lastNames:
      'Silva Souza Araújo Gonçalves Pereira Cardoso Magalhães Rocha Barbosa Tavares Brandão Nogueira',
  },
  {
    code: 'CA',
    weight: 50,
    timeZones: ['Eastern Time (US & Canada)', 'Mountain Time (US & Canada)', 'Atlantic Time (Canada)'],
    phone: '+1 41#-555-01##',
    firstNames: 'Charlotte Liam Mathilde Nathan Aaliyah Xavier Simone Gurpreet Élise Tyler Anika Benoît',
    lastNames: 'Tremblay Singh Gagnon MacDonald Roy Wong Bélanger Fraser Dhillon Pelletier Chen Sinclair',
  },
  {
    code: 'JP',
    weight: 45,
    timeZones: ['Tokyo', 'Osaka', 'Sapporo'],
    phone: '+81 90-####-####',
    firstNames:
      '陽菜/hina 蓮/ren 結衣/yui 大翔/hiroto さくら/sakura 健太/kenta 美咲/misaki 翔太/shota 葵/aoi 直樹/naoki',
    lastNames:
      '佐藤/sato 鈴木/suzuki 高橋/takahashi 田中/tanaka 渡辺/watanabe 伊藤/ito 山本/yamamoto 中村/nakamura',
  },
  {
    code: 'IN',
    weight: 45,
    timeZones: ['New Delhi', 'Mumbai', 'Kolkata'],
    phone: '+91 98### #####',
    firstNames: 'Aarav Diya Vihaan Ananya Arjun Meera Kabir Lakshmi Rohan Saanvi Farhan Nandini Harish',
    lastNames: 'Sharma Iyer Reddy Banerjee Kulkarni Menon Chatterjee Bhat Khan Desai Pillai Joshi',
  },
  {
    code: 'AU',
    weight: 40,
    timeZones: ['Sydney', 'Melbourne', 'Perth', 'Brisbane'],
    phone: '+61 491 570 ###',
    firstNames: 'Matilda Jack Ruby Lachlan Sienna Cooper Tahlia Angus Kirra Darcy Bronte Hamish',
    lastNames: "O'Brien Wilson Papadopoulos Nguyen McKenzie Taylor Rossi Fitzgerald Hall Tran Kelly Barker",
  },
  {
    code: 'PL',
    weight: 20,
    timeZones: ['Warsaw'],
    phone: '+48 5## ### ###',
    firstNames: 'Zuzanna Jakub Małgorzata Łukasz Agnieszka Wojciech Kinga Szymon Żaneta Paweł',
    lastNames: 'Nowak Wiśniewska Wójcik Kamińska Lewandowski Zając Dąbrowska Król Wrona Pawlak',
  },
  {
    code: 'SE',
    weight: 15,
    timeZones: ['Stockholm'],
    phone: '+46 70 ### ## ##',
    firstNames: 'Astrid Elias Saga Oskar Linnéa Björn Freja Nils Maja Göran',
    lastNames: 'Lindqvist Åberg Sjöberg Nyström Öberg Hallberg Ekström Dahl Forsberg Wikström',
  },
  {
    code: 'NG',
    weight: 15,
    timeZones: ['West Central Africa'],
    phone: '+234 80# ### ####',
    firstNames: 'Chidi Amara Tunde Ngozi Emeka Folake Ifeanyi Zainab Segun Adaeze',
    lastNames: 'Adeyemi Okonkwo Balogun Eze Abubakar Nwosu Ogunleye Danjuma Obi Bello',
  },
];
